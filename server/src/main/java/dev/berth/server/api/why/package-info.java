/** Why a task waits and what would help, and what a new task could expect. */
@NullMarked
package dev.berth.server.api.why;

import org.jspecify.annotations.NullMarked;
