/**
 * The host that Berth itself runs on. Each attempt is one virtual thread that does its work from
 * beginning to end: prepare, start, watch, sweep, report. What it sees it reports as a
 * <em>fact</em>; it decides nothing else.
 */
@NullMarked
package dev.berth.node;

import org.jspecify.annotations.NullMarked;
