package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * New content of a command file: its text or its tasks.
 *
 * @param content kept byte for byte
 * @param queues written in the standard form
 */
public record CommandUpdate(@Nullable String content, @Nullable List<UpdatedQueue> queues) {

    /** Tasks that run one after another. */
    public record UpdatedQueue(int queueId, List<UpdatedTask> tasks) {}

    /**
     * One task.
     *
     * @param gpuCount a number or a range like {@code "2-4"}; 1 unless stated
     */
    public record UpdatedTask(List<String> commands, double memoryGb, @Nullable Object gpuCount) {}
}
