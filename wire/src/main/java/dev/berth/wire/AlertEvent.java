package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * An alert in the event stream: the fields of {@link Alert} and of its event.
 *
 * @param data the details as the event has them
 */
public record AlertEvent(
        long id,
        String at,
        String level,
        String type,
        String message,
        Map<String, Object> details,
        @Nullable Long taskId,
        long seq,
        String kind,
        String actor,
        @Nullable Integer attempt,
        Map<String, String> data) {}
