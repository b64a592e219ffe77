package dev.berth.store;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds damage in the write-ahead log of a database that no program has open. SQLite ends the log
 * at the first frame that does not match its checksum, and so drops every later commit without an
 * error. This is right for the last commit, which a power failure may leave incomplete. A commit
 * that another one follows was complete.
 *
 * <p>The checksum of a frame continues that of the frame before it, so the frames after a damaged
 * one can still be verified. Frames that an abandoned transaction left in the file do not continue
 * it. Those of an earlier log, which this one has not overwritten yet, have other salts.
 */
final class LogFileCheck {

    private static final int HEADER_BYTES = 32;
    private static final int FRAME_HEADER_BYTES = 24;
    private static final int MAGIC_LITTLE_ENDIAN = 0x377f0682;
    private static final int MAGIC_BIG_ENDIAN = 0x377f0683;
    private static final int MIN_PAGE_BYTES = 512;
    private static final int MAX_PAGE_BYTES = 65_536;
    private static final int DEFAULT_PAGE_BYTES = 4096;

    private final ByteBuffer header;
    private final ByteOrder order;
    private boolean isDamaged;
    private boolean isCommitted;

    private LogFileCheck(ByteBuffer header) {
        this.header = header;
        this.order =
                header.getInt(0) == MAGIC_BIG_ENDIAN
                        ? ByteOrder.BIG_ENDIAN
                        : ByteOrder.LITTLE_ENDIAN;
    }

    /** Describes the damage, if there is any. */
    static Optional<String> run(Path log) throws IOException {
        if (!Files.exists(log) || Files.size(log) < HEADER_BYTES) {
            return Optional.empty();
        }
        try (var in = new DataInputStream(Files.newInputStream(log))) {
            var check = new LogFileCheck(ByteBuffer.wrap(in.readNBytes(HEADER_BYTES)));
            return check.losesCommits(in)
                    ? Optional.of("its log " + log + " has been changed, and commits would be lost")
                    : Optional.empty();
        }
    }

    /** True if a complete commit is at or after the first part that does not match. */
    private boolean losesCommits(DataInputStream in) throws IOException {
        var computed = new Sum(0, 0).plus(header, 0, FRAME_HEADER_BYTES, order);
        var stored = new Sum(header.getInt(24), header.getInt(28));
        boolean isMagic = header.getInt(0) >>> 1 == MAGIC_LITTLE_ENDIAN >>> 1;
        isDamaged = !isMagic || !computed.equals(stored);
        var frame = ByteBuffer.allocate(FRAME_HEADER_BYTES + pageBytes());
        while (true) {
            try {
                in.readFully(frame.array());
            } catch (EOFException _) {
                return false;
            }
            var next = new Sum(frame.getInt(16), frame.getInt(20));
            var fromComputed = after(computed, frame);
            boolean isContinued =
                    next.equals(fromComputed) || (isDamaged && next.equals(after(stored, frame)));
            if (isContinued && isCommitted) {
                return true;
            }
            boolean isOfEarlierLog = !isContinued && !hasSaltsOfHeader(frame);
            if (isOfEarlierLog || (!isContinued && isDamaged)) {
                return false;
            }
            if (!isContinued || !hasSaltsOfHeader(frame)) {
                isDamaged = true;
            }
            isCommitted = isDamaged && (isCommitted || frame.getInt(4) != 0);
            computed = fromComputed;
            stored = next;
        }
    }

    private Sum after(Sum before, ByteBuffer frame) {
        return before.plus(frame, 0, 8, order)
                .plus(frame, FRAME_HEADER_BYTES, frame.capacity(), order);
    }

    private boolean hasSaltsOfHeader(ByteBuffer frame) {
        return frame.getLong(8) == header.getLong(16);
    }

    private int pageBytes() {
        int size = header.getInt(8);
        boolean isPossible =
                size >= MIN_PAGE_BYTES && size <= MAX_PAGE_BYTES && Integer.bitCount(size) == 1;
        return isPossible ? size : DEFAULT_PAGE_BYTES;
    }

    /** SQLite's checksum of a log. */
    private record Sum(int first, int second) {

        Sum plus(ByteBuffer bytes, int from, int to, ByteOrder order) {
            var words = bytes.duplicate().order(order);
            int s0 = first;
            int s1 = second;
            for (int at = from; at < to; at += 2 * Integer.BYTES) {
                s0 += words.getInt(at) + s1;
                s1 += words.getInt(at + Integer.BYTES) + s0;
            }
            return new Sum(s0, s1);
        }
    }
}
