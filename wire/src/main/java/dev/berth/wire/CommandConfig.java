package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A command file: its text and what was parsed.
 *
 * @param config one-based number: {@code index} + 1
 * @param content the file's text
 * @param problems invalid blocks; the other blocks stay valid
 * @param runningPid the current run of the file, if any
 */
public record CommandConfig(
        String mode,
        int index,
        int config,
        String file,
        String content,
        List<CommandQueue> queues,
        List<FileProblem> problems,
        @Nullable Long runningPid) {}
