package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * Something that somebody should know of.
 *
 * @param id the seq of its event
 * @param level CRITICAL, WARNING or INFO
 * @param message in the language that the server is set to
 * @param details texts and whole numbers, by what they are
 */
public record Alert(
        long id,
        String at,
        String level,
        String type,
        String message,
        Map<String, Object> details,
        @Nullable Long taskId) {}
