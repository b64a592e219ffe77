package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * An event about a task, in the event stream.
 *
 * @param task the task when the event was sent
 */
public record TaskEvent(
        long seq,
        String at,
        String kind,
        String actor,
        long taskId,
        @Nullable Integer attempt,
        Map<String, String> data,
        TaskSummary task) {}
