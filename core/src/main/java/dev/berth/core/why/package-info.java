/**
 * Why one task waits: its reasons, each GPU's refusal, the tasks <em>ahead</em> of it, and
 * <em>suggestions</em>. A suggestion is an <em>edit</em> of the task with which the planner itself
 * starts it earlier.
 */
@NullMarked
package dev.berth.core.why;

import org.jspecify.annotations.NullMarked;
