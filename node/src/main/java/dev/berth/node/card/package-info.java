/**
 * The cards of this host. A <em>card source</em> is chosen by name ({@code --gpus}); a
 * <em>probe</em> asks it and gives <em>rows</em>; the <em>book</em> draws from one answer after the
 * other what is known of each card; <em>occupancy</em> finds out whose the processes on it are;
 * <em>departures</em> are ended attempts that may still be on a card; the <em>watch</em> drives it
 * all and reports.
 */
@NullMarked
package dev.berth.node.card;

import org.jspecify.annotations.NullMarked;
