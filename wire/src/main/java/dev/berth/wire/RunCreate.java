package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A request to run a file whose content the caller sends. Without both fields, a file of the home
 * is run.
 *
 * @param content complete text of the file
 * @param commandFile its absolute path
 */
public record RunCreate(@Nullable String content, @Nullable String commandFile) {}
