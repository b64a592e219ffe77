package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;
import dev.berth.port.read.TaskLogs.LogPart;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** The last lines of a log, found by reading backwards from its end. */
public final class LogTail {
    private static final int CHUNK = 64 * 1024;

    /** Limit of the backward search, however few lines were found. */
    private static final int MAX_BYTES = 4 * 1024 * 1024;

    private LogTail() {}

    /** A log that does not exist yet has no lines. */
    public static LogText read(Path log, LogPart part, int lines) throws IOException {
        try (var file = RegularFile.open(log)) {
            var size = file.size();
            var range = OutputRange.of(file, size, part);
            return new BackwardReader(file, GapList.of(file, log, size), lines).read(range);
        } catch (NoSuchFileException notYet) {
            return new LogText(List.of(), false, 0);
        }
    }

    private static final class BackwardReader {
        private final RegularFile file;
        private final GapList gaps;
        private final int wanted;
        private final Deque<String> lines = new ArrayDeque<>();
        private int budget = MAX_BYTES;
        private boolean hasGap;

        BackwardReader(RegularFile file, GapList gaps, int wanted) {
            this.file = file;
            this.gaps = gaps;
            this.wanted = wanted;
        }

        /** Reads range by range between the gaps, until there are enough lines. */
        LogText read(OutputRange range) throws IOException {
            var end = range.to();
            while (end > range.from() && lines.size() < wanted && budget > 0) {
                var gap = gaps.before(end);
                if (gap.isPresent() && gap.get().to() >= end) {
                    lines.addFirst(gap.get().placeholder());
                    hasGap = true;
                    end = gap.get().from();
                } else {
                    end = readPiece(Math.max(range.from(), gap.map(Gap::to).orElse(0L)), end);
                }
            }
            return new LogText(List.copyOf(lines), end > range.from(), hasGap, range.to());
        }

        /** Reads a range without gaps backwards. Returns the offset of the first line shown. */
        private long readPiece(long from, long end) throws IOException {
            var piece = new byte[0];
            var start = end;
            while (start > from
                    && budget > 0
                    && newlinesBefore(piece) < wanted - lines.size() + 1) {
                var length = (int) Math.min(CHUNK + piece.length, Math.min(start - from, budget));
                piece = concat(chunk(start - length, length), piece);
                start -= length;
                budget -= length;
            }
            return start + show(piece, start == from);
        }

        /** Number of lines in the piece; a newline at its very end is not counted. */
        private static int newlinesBefore(byte[] piece) {
            var count = piece.length == 0 ? 0 : 1;
            for (var i = 0; i < piece.length - 1; i++) {
                count += piece[i] == '\n' ? 1 : 0;
            }
            return count;
        }

        /** Adds lines from the end of the piece. Returns the position of the first one in it. */
        private int show(byte[] piece, boolean isWhole) {
            var end =
                    piece.length > 0 && piece[piece.length - 1] == '\n'
                            ? piece.length - 1
                            : piece.length;
            var begin = piece.length;
            while (lines.size() < wanted && begin > 0) {
                begin = end;
                while (begin > 0 && piece[begin - 1] != '\n') {
                    begin--;
                }
                lines.addFirst(LineText.render(piece, begin, end, begin > 0 || isWhole));
                end = begin - 1;
            }
            return begin;
        }

        private byte[] chunk(long offset, int length) throws IOException {
            // If the file was truncated while we read, the missing part stays empty.
            return Arrays.copyOf(file.read(offset, length), length);
        }

        private static byte[] concat(byte[] first, byte[] second) {
            var both = new byte[first.length + second.length];
            System.arraycopy(first, 0, both, 0, first.length);
            System.arraycopy(second, 0, both, first.length, second.length);
            return both;
        }
    }
}
