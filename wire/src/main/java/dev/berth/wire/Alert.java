package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * An alert.
 *
 * @param id the seq of its event
 * @param level CRITICAL, WARNING or INFO
 * @param message in the configured language of the server
 * @param details texts and whole numbers by name
 */
public record Alert(
        long id,
        String at,
        String level,
        String type,
        String message,
        Map<String, Object> details,
        @Nullable Long taskId) {}
