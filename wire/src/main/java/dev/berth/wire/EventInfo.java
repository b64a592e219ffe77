package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * An event.
 *
 * @param seq grows by one with each event; send the last one seen back as {@code after}
 * @param actor the user who caused it
 * @param via how the user was authenticated: socket, token, session or loopback; null for what
 *     Berth itself did
 * @param owner the owner of what the event is about, such as its task
 */
public record EventInfo(
        long seq,
        String at,
        String actor,
        String kind,
        @Nullable Long taskId,
        @Nullable Integer attempt,
        Map<String, String> data,
        @Nullable String via,
        @Nullable String owner) {}
