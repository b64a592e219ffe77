package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A request to run a file that the caller has read. Without either a file of the home is run.
 *
 * @param content all that is in the file
 * @param commandFile its absolute path
 */
public record RunCreate(@Nullable String content, @Nullable String commandFile) {}
