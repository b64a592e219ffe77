package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What a card, or a task on its cards, did over time.
 *
 * @param points oldest first; a time of which nothing is known has none
 * @param gpu the card's number; of a task, if it has just one
 * @param memoryTotalMb of the card, or of all the task's cards together
 */
public record HistoryInfo(
        String from,
        String to,
        long stepSeconds,
        List<HistoryPoint> points,
        @Nullable Integer gpu,
        @Nullable Long memoryTotalMb) {}
