package dev.berth.wire;

/**
 * A request to bind a log file to one task of a command file.
 *
 * @param logPath absolute, or relative to the server's home; empty removes the binding
 */
public record LogBind(String mode, int configIndex, int queueId, int taskIndex, String logPath) {}
