/**
 * {@code berth logs}: the log of a task, through the server, and the log of a server, from its
 * files.
 */
@NullMarked
package dev.berth.cli.command.log;

import org.jspecify.annotations.NullMarked;
