package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;
import dev.berth.port.read.LogFiles.LogMatch;
import dev.berth.port.read.LogFiles.LogMatches;
import dev.berth.port.read.LogFiles.LogSearch;
import dev.berth.port.read.TaskLogs.LogPart;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Searches a part of one log from its beginning to its end, piece by piece. */
public final class LogFileSearch {
    /** Fits the cache of a core. */
    private static final int PIECE = 256 * 1024;

    private final RegularFile file;
    private final ByteSearch text;
    private final MatchList found;
    private long line = 1;
    private long lineStart;
    private boolean isLineFound;

    private LogFileSearch(RegularFile file, LogSearch search) {
        this.file = file;
        this.text = new ByteSearch(search.text());
        this.found = new MatchList(search);
    }

    /** A log that does not exist yet has no matches. */
    public static LogMatches of(Path log, LogPart part, LogSearch search) throws IOException {
        try (var file = RegularFile.open(log)) {
            var size = file.size();
            var range = OutputRange.of(file, size, part);
            return new LogFileSearch(file, search).read(GapList.of(file, log, size), range, size);
        } catch (NoSuchFileException notYet) {
            return new LogMatches(0, 0, List.of(), 0);
        }
    }

    private LogMatches read(GapList gaps, OutputRange range, long size) throws IOException {
        long at = range.from();
        while (at < range.to()) {
            var gap = gaps.atOrAfter(at).filter(one -> one.from() < range.to());
            long end = gap.map(Gap::from).orElse(range.to());
            if (at < end) {
                range(at, end);
            }
            if (gap.isPresent()) {
                // A reader sees one line in place of the gap, and a line that the gap cuts off.
                line += at < end && lineStart < end ? 2 : 1;
            }
            at = gap.map(Gap::to).orElse(range.to());
        }
        var matches = new ArrayList<LogMatch>();
        for (var place : found.places()) {
            matches.add(
                    new LogMatch(
                            place.line(), place.offset(), excerpt(place.offset(), range.to())));
        }
        return new LogMatches(found.total(), found.first(), matches, size);
    }

    /** Searches a range without gaps. */
    private void range(long from, long end) throws IOException {
        startLine(from);
        long at = from;
        while (at < end) {
            var bytes = file.read(at, (int) Math.min(PIECE, end - at));
            if (bytes.length == 0) {
                // The task truncated its log meanwhile.
                return;
            }
            boolean isLast = at + bytes.length >= end;
            int complete = isLast ? bytes.length : lastNewline(bytes) + 1;
            // A line longer than a piece: the next piece repeats what could begin a match.
            int used = complete > 0 ? complete : Math.max(1, bytes.length - text.length() + 1);
            lines(bytes, complete > 0 ? complete : bytes.length, used, at);
            at += used;
        }
    }

    /**
     * @param to end of the bytes to search
     * @param used where the next piece begins
     * @param offset of the first byte
     */
    private void lines(byte[] bytes, int to, int used, long offset) {
        int at = 0;
        int counted = 0;
        int hit = text.find(bytes, at, to);
        while (hit >= 0) {
            countLines(bytes, counted, hit, offset);
            counted = hit;
            int begin = (int) Math.max(0, lineStart - offset);
            int end = newline(bytes, hit, to);
            if (!isLineFound && isShown(bytes, begin, end, hit)) {
                isLineFound = true;
                found.add(line, lineStart);
            }
            at = end;
            hit = text.find(bytes, at, to);
        }
        countLines(bytes, Math.min(counted, used), used, offset);
    }

    private void countLines(byte[] bytes, int from, int to, long offset) {
        int count = 0;
        int last = -1;
        for (int i = from; i < to; i++) {
            if (bytes[i] == '\n') {
                count++;
                last = i;
            }
        }
        if (count > 0) {
            line += count;
            startLine(offset + last + 1);
        }
    }

    private void startLine(long offset) {
        lineStart = offset;
        isLineFound = false;
    }

    /** A progress bar overwrites its line: only what follows the last carriage return is shown. */
    private boolean isShown(byte[] bytes, int begin, int end, int hit) {
        int shownEnd = end;
        while (shownEnd > begin && bytes[shownEnd - 1] == '\r') {
            shownEnd--;
        }
        int shownFrom = shownEnd;
        while (shownFrom > begin && bytes[shownFrom - 1] != '\r') {
            shownFrom--;
        }
        return hit >= shownFrom || text.find(bytes, shownFrom, shownEnd) >= 0;
    }

    private String excerpt(long offset, long to) throws IOException {
        var bytes = file.read(offset, (int) Math.min(LineText.MOST_BYTES, to - offset));
        int end = newline(bytes, 0, bytes.length);
        return MatchList.around(LineText.render(bytes, 0, end, true), text);
    }

    private static int newline(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] != '\n') {
            at++;
        }
        return at;
    }

    private static int lastNewline(byte[] bytes) {
        int at = bytes.length - 1;
        while (at >= 0 && bytes[at] != '\n') {
            at--;
        }
        return at;
    }
}
