/**
 * Commands about tasks and the queue: submit, list, show, explain, change, cancel, wait. Other
 * command packages use their parsing and formatting of tasks.
 */
@NullMarked
package dev.berth.cli.command.task;

import org.jspecify.annotations.NullMarked;
