/**
 * Which task goes on which card. One <em>pass</em> looks at an immutable <em>snapshot</em> in named
 * steps: the heads of the <em>lines</em> in order, the cards that are feasible for each, their
 * rank, the claim of all cards or none, and a <em>verdict</em> per task: start, or wait with every
 * reason.
 */
@NullMarked
package dev.berth.core.plan;

import org.jspecify.annotations.NullMarked;
