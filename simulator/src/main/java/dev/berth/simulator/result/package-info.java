/** What a replay shows: waits, slowdown, use of the GPUs, and the hash of all starts. */
@NullMarked
package dev.berth.simulator.result;

import org.jspecify.annotations.NullMarked;
