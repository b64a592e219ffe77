package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * Something that happened to a task, in the event stream.
 *
 * @param task as it was when this was sent
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
