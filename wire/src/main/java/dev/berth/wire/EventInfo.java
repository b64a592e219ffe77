package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * An event.
 *
 * @param seq grows by one with each event; send the last one seen back as {@code after}
 * @param actor the user who caused it
 */
public record EventInfo(
        long seq,
        String at,
        String actor,
        String kind,
        @Nullable Long taskId,
        @Nullable Integer attempt,
        Map<String, String> data) {}
