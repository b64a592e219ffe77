package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A command file, as it stands and as it is understood.
 *
 * @param config its number as people count: {@code index} + 1
 * @param content the file's text
 * @param problems blocks that cannot be understood; the others are good all the same
 * @param runningPid the run that goes on with it, if any
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
