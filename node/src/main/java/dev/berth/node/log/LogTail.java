package dev.berth.node.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last lines of a log, found by reading backwards from its end. */
public final class LogTail {
    private static final int CHUNK = 64 * 1024;

    /** Looks no further back than this, however few lines that gave. */
    private static final int FURTHEST = 4 * 1024 * 1024;

    private LogTail() {}

    /** A log that is not there yet has no lines. */
    public static LogText read(Path log, int lines) throws IOException {
        try (var channel = FileChannel.open(log, StandardOpenOption.READ)) {
            var size = channel.size();
            return new Backwards(channel, Gaps.read(log, size), lines).read(size);
        } catch (NoSuchFileException notYet) {
            return new LogText(List.of(), false, 0);
        }
    }

    private static final class Backwards {
        private final FileChannel channel;
        private final Gaps gaps;
        private final int wanted;
        private final Deque<String> lines = new ArrayDeque<>();
        private int budget = FURTHEST;
        private boolean hasGap;

        Backwards(FileChannel channel, Gaps gaps, int wanted) {
            this.channel = channel;
            this.gaps = gaps;
            this.wanted = wanted;
        }

        /** From one gap to the one before it, until there are lines enough. */
        LogText read(long size) throws IOException {
            var end = size;
            while (end > 0 && lines.size() < wanted && budget > 0) {
                var gap = gaps.before(end);
                if (gap.isPresent() && gap.get().to() >= end) {
                    lines.addFirst(gap.get().note());
                    hasGap = true;
                    end = gap.get().from();
                } else {
                    end = readPiece(gap.map(Gap::to).orElse(0L), end);
                }
            }
            return new LogText(List.copyOf(lines), end > 0, hasGap, size);
        }

        /**
         * Reads a stretch without gaps backwards, and returns the offset at which its shown lines
         * begin.
         */
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

        /** How many lines end in the piece, not counting the newline that ends it. */
        private static int newlinesBefore(byte[] piece) {
            var count = piece.length == 0 ? 0 : 1;
            for (var i = 0; i < piece.length - 1; i++) {
                count += piece[i] == '\n' ? 1 : 0;
            }
            return count;
        }

        /** Shows lines from the end of the piece, and returns where in it the first one begins. */
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
                lines.addFirst(Line.show(piece, begin, end, begin > 0 || isWhole));
                end = begin - 1;
            }
            return begin;
        }

        private byte[] chunk(long offset, int length) throws IOException {
            var buffer = ByteBuffer.allocate(length);
            while (buffer.hasRemaining()) {
                if (channel.read(buffer, offset + buffer.position()) < 0) {
                    // Cut short under our eyes: what is not there reads as nothing.
                    break;
                }
            }
            return buffer.array();
        }

        private static byte[] concat(byte[] first, byte[] second) {
            var both = new byte[first.length + second.length];
            System.arraycopy(first, 0, both, 0, first.length);
            System.arraycopy(second, 0, both, first.length, second.length);
            return both;
        }
    }
}
