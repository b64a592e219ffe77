package dev.berth.port.read;

import dev.berth.core.id.AttemptId;
import dev.berth.port.read.TaskLogs.LogPart;
import dev.berth.port.read.TaskLogs.LogUnreadable;

import java.util.List;
import java.util.OptionalLong;

/** Search in the logs of attempts, and reading anywhere in them. Offsets are those of the file. */
public interface LogFiles {

    /** Reads all of this part once, in a limited amount of memory. */
    LogMatches search(AttemptId attempt, LogPart part, LogSearch search) throws LogUnreadable;

    /** The complete lines from this line on, as many as one read gives. */
    LogPage pageFrom(AttemptId attempt, LogPart part, long offset) throws LogUnreadable;

    /** The lines that end at this offset, or at the end of the part if it is shorter. */
    LogPage pageBefore(AttemptId attempt, LogPart part, long offset) throws LogUnreadable;

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
     * @param total of the whole part
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
     * @param line its number in the part, from 1
     * @param offset of its first byte
     * @param text the line, or a part of it around the match
     */
    record LogMatch(long line, long offset, String text) {}

    /**
     * Successive lines of a log.
     *
     * @param start offset of the first line
     * @param next offset after the last complete line
     * @param isPartial the last line has no newline yet
     */
    record LogPage(LogBounds bounds, long start, List<String> lines, long next, boolean isPartial) {
        public LogPage {
            lines = List.copyOf(lines);
        }
    }

    /**
     * Where the part that a reader gets lies in the file.
     *
     * @param begin offset of its first byte
     * @param end offset after its last byte
     * @param size of the whole log, in bytes
     */
    record LogBounds(long begin, long end, long size) {}
}
