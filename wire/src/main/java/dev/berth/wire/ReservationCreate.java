package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A request to keep GPUs; for nobody if it names neither a user nor a group.
 *
 * @param gpus a number of GPUs, or the indices of some as a text: {@code "0,1"}
 * @param from the begin, as 2026-01-31T08:00:00Z
 * @param seconds the length
 * @param weekly again each week
 */
public record ReservationCreate(
        @Nullable String user,
        @Nullable String group,
        Object gpus,
        String from,
        long seconds,
        @Nullable Boolean weekly,
        @Nullable String note) {}
