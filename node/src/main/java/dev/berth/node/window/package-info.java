/**
 * A <em>window</em> is a tmux session that follows the log of a running attempt, so that users can
 * watch it. The attempt does not depend on it: closing or killing the window does not affect the
 * attempt.
 */
@NullMarked
package dev.berth.node.window;

import org.jspecify.annotations.NullMarked;
