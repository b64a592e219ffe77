/**
 * Which task starts on which GPUs. One <em>scheduling pass</em> works on an immutable
 * <em>snapshot</em> in named steps: the heads of the <em>queues</em> in order, the feasible GPUs
 * for each, their ranking, the claim of all needed GPUs or none, and a <em>verdict</em> per task:
 * start, or wait with all reasons.
 */
@NullMarked
package dev.berth.core.plan;

import org.jspecify.annotations.NullMarked;
