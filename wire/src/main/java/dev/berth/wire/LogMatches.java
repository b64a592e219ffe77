package dev.berth.wire;

import java.util.List;

/**
 * The lines of an attempt's log that contain a text.
 *
 * @param total the number of all matching lines
 * @param first how many of them come before the returned ones
 * @param size of the log, in bytes
 */
public record LogMatches(
        long taskId, int attempt, long total, long first, long size, List<Match> matches) {

    /**
     * A matching line.
     *
     * @param line its number, from 1; without banners, in the task's own output
     * @param offset of its first byte; send it as {@code from} to read the log from there on
     * @param text the line, or a part of it around the match
     */
    public record Match(long line, long offset, String text) {}
}
