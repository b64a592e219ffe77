/**
 * A <em>task</em> is a user's request to run a command. An <em>attempt</em> is one start of it. The
 * state of a task is what users see; the <em>phase</em> of its attempt is the state of the
 * processes. A <em>claim</em> is what an attempt holds of a GPU until none of its processes is left
 * there.
 */
@NullMarked
package dev.berth.core.task;

import org.jspecify.annotations.NullMarked;
