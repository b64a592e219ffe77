/**
 * Jobs of a cluster as a file records them: when each was submitted, what it needed, how long it
 * ran.
 */
@NullMarked
package dev.berth.simulator.trace;

import org.jspecify.annotations.NullMarked;
