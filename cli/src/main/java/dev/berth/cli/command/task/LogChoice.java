package dev.berth.cli.command.task;

/**
 * Which log is printed, and how.
 *
 * @param attempt 0 for the latest
 * @param tail the number of last lines to begin with; 0 for all
 * @param raw keep control sequences
 */
public record LogChoice(long task, int attempt, int tail, boolean withBanner, boolean raw) {}
