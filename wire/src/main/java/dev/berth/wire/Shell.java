package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * The shell from which a task is submitted. A task that runs as its owner gets these values instead
 * of those of the account.
 *
 * @param environment all variables, 128 KiB at most
 * @param umask octal, like {@code 022}
 * @param limits soft limits by the names of {@code prlimit}: a number or {@code unlimited}
 */
public record Shell(
        @Nullable Map<String, String> environment,
        @Nullable String umask,
        @Nullable Map<String, String> limits) {}
