/**
 * Tasks: submit, show, change, cancel, clone, wait. A {@code *Request} reads a body, a {@code
 * *Json} writes a wire record.
 */
@NullMarked
package dev.berth.server.api.task;

import org.jspecify.annotations.NullMarked;
