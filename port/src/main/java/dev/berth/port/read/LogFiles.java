package dev.berth.port.read;

import dev.berth.core.id.AttemptId;
import dev.berth.port.read.TaskLogs.LogUnreadable;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/** The whole logs of attempts: search, sections anywhere in them, and all their bytes. */
public interface LogFiles {

    /** Reads the whole log once, in a limited amount of memory. */
    LogMatches search(AttemptId attempt, LogSearch search) throws LogUnreadable;

    /** The complete lines from this line on, as many as one read gives. */
    LogPart partFrom(AttemptId attempt, long offset) throws LogUnreadable;

    /** The lines that end at this offset, or at the end of the log if it is shorter. */
    LogPart partBefore(AttemptId attempt, long offset) throws LogUnreadable;

    /** Sends all bytes up to the present end; removed bytes are replaced by a line about them. */
    void copy(AttemptId attempt, Output out) throws IOException, InterruptedException;

    /** Receives the bytes of a log. */
    @FunctionalInterface
    interface Output {
        void send(byte[] bytes) throws IOException, InterruptedException;
    }

    /**
     * Searches a text without regard to upper and lower case of A to Z.
     *
     * @param from the first matches at this offset or after it
     * @param before if present, the last matches before this offset instead
     * @param limit the maximum number of matches to return; all are counted
     */
    record LogSearch(String text, long from, OptionalLong before, int limit) {}

    /**
     * The matching lines of a log.
     *
     * @param total of the whole log
     * @param first how many matching lines come before the returned ones
     * @param size of the log, in bytes
     */
    record LogMatches(long total, long first, List<LogMatch> matches, long size) {
        public LogMatches {
            matches = List.copyOf(matches);
        }
    }

    /**
     * A matching line.
     *
     * @param line its number, from 1
     * @param offset of its first byte
     * @param text the line, or a part of it around the match
     */
    record LogMatch(long line, long offset, String text) {}

    /**
     * Some lines of a log.
     *
     * @param start offset of the first line
     * @param next offset after the last complete line
     * @param isPartial the last line has no newline yet
     * @param size of the log, in bytes
     */
    record LogPart(long start, List<String> lines, long next, boolean isPartial, long size) {
        public LogPart {
            lines = List.copyOf(lines);
        }
    }
}
