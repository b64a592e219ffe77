/**
 * The host on which Berth itself runs. One virtual thread handles each attempt from beginning to
 * end: prepare, start, watch, sweep, report. It reports its observations as <em>facts</em> and
 * leaves all decisions to the engine.
 */
@NullMarked
package dev.berth.node;

import org.jspecify.annotations.NullMarked;
