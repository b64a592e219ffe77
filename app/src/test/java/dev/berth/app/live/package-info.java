/**
 * Tests of the program as a user meets it: real server processes, real tasks, no look inside. A
 * <em>world</em> is one home with its server and everything a test left running there; a
 * <em>door</em> is a way to reach it; an <em>order</em> is a task to be submitted; a <em>stray</em>
 * is a process that a task started and that still lives.
 */
@NullMarked
package dev.berth.app.live;

import org.jspecify.annotations.NullMarked;
