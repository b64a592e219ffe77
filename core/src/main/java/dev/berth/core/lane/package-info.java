/**
 * A <em>lane</em> is a serial queue: its tasks run one after another. Users name lanes, and every
 * queue of a file run is one. Lanes of file runs <em>yield to others</em>: they use only some GPUs,
 * and leave some of these for other users of the machine.
 */
@NullMarked
package dev.berth.core.lane;

import org.jspecify.annotations.NullMarked;
