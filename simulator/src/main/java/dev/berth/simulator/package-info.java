/** Replays traces of GPU clusters. An experiment is a trace, a cluster and a placement. */
@NullMarked
package dev.berth.simulator;

import org.jspecify.annotations.NullMarked;
