/**
 * Runs a workload on virtual time: at each instant ends, then submits, then one scheduling pass.
 */
@NullMarked
package dev.berth.simulator.replay;

import org.jspecify.annotations.NullMarked;
