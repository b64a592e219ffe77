/**
 * End-to-end tests of the program: real server processes, real tasks, no access to internals. A
 * <em>harness</em> is one home with its server and every process that was started there; a
 * <em>client</em> sends requests to it over TCP or over its socket; a <em>leftover</em> is a living
 * process that a task started.
 */
@NullMarked
package dev.berth.app.endtoend;

import org.jspecify.annotations.NullMarked;
