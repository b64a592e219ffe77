/**
 * The cards of this host. A <em>card source</em> is chosen by name ({@code --gpus}); a
 * <em>probe</em> asks it and gives <em>rows</em>; the <em>book</em> draws from one answer after the
 * other what is known of each card; <em>occupancy</em> finds out whose the processes on it are;
 * <em>departures</em> are ended attempts that may still be on a card; a <em>tally</em> is what an
 * attempt makes of its cards; a <em>sign</em> says that a card is not to be trusted, and a
 * <em>trial</em> whether it is again, by readings, its health and a <em>canary</em>; the
 * <em>watch</em> drives it all and reports.
 */
@NullMarked
package dev.berth.node.card;

import org.jspecify.annotations.NullMarked;
