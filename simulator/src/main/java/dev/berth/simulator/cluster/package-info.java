/** Nodes and what is free on them. A pool answers whether a job fits, and where it goes. */
@NullMarked
package dev.berth.simulator.cluster;

import org.jspecify.annotations.NullMarked;
