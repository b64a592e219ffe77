/**
 * A <em>window</em> is a tmux session that follows the log of a running attempt, for people who
 * want to look over its shoulder. It stands beside the attempt: whatever becomes of it, the attempt
 * does not notice.
 */
@NullMarked
package dev.berth.node.window;

import org.jspecify.annotations.NullMarked;
