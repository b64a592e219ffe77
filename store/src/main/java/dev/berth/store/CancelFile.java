package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.port.CancelJournal;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A file of fixed size, one slot for each cancel. Its blocks are allocated when it is created, and
 * each write overwrites one slot, so a full disk does not prevent it.
 */
public final class CancelFile implements CancelJournal, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CancelFile.class);

    private static final int SLOT_BYTES = 256;
    private static final int SLOTS = 256;
    private static final String SEPARATOR = "\t";
    private static final int FIELDS = 4;

    private final @Nullable FileChannel channel;
    private int used;

    private CancelFile(@Nullable FileChannel channel) {
        this.channel = channel;
    }

    /** If the file cannot be opened, cancels are kept in memory only. */
    public static CancelFile open(Path file) {
        try {
            return new CancelFile(reserved(file));
        } catch (IOException failure) {
            log.warn("{}: a cancel on a full disk will not survive a crash: {}", file, failure);
            return new CancelFile(null);
        }
    }

    private static FileChannel reserved(Path file) throws IOException {
        var channel =
                FileChannel.open(
                        file,
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.DSYNC),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        long size = channel.size();
        if (size < (long) SLOTS * SLOT_BYTES) {
            var zeros = ByteBuffer.allocate((int) (SLOTS * SLOT_BYTES - size));
            while (zeros.hasRemaining()) {
                channel.write(zeros, size + zeros.position());
            }
            channel.force(true);
        }
        return channel;
    }

    @Override
    public List<PendingCancel> read() {
        var cancels = new ArrayList<PendingCancel>();
        if (channel == null) {
            return cancels;
        }
        try {
            var slot = ByteBuffer.allocate(SLOT_BYTES);
            for (int i = 0; i < SLOTS; i++) {
                slot.clear();
                channel.read(slot, (long) i * SLOT_BYTES);
                var cancel = parse(new String(slot.array(), StandardCharsets.UTF_8));
                if (cancel.isPresent()) {
                    cancels.add(cancel.get());
                    used = i + 1;
                }
            }
        } catch (IOException failure) {
            log.warn("kept cancels cannot be read: {}", failure.toString());
        }
        return cancels;
    }

    /** A slot without its line end was not written completely. */
    private static Optional<PendingCancel> parse(String slot) {
        int end = slot.indexOf('\n');
        var fields = end < 0 ? new String[0] : slot.substring(0, end).split(SEPARATOR, -1);
        if (fields.length != FIELDS) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new PendingCancel(
                            new TaskId(Long.parseLong(fields[0])),
                            new Owner(fields[2], fields[3]),
                            Micros.instant(Long.parseLong(fields[1]))));
        } catch (NumberFormatException damaged) {
            return Optional.empty();
        }
    }

    @Override
    public boolean add(PendingCancel cancel) {
        if (channel == null || used == SLOTS) {
            return false;
        }
        var line =
                String.join(
                                SEPARATOR,
                                cancel.task().toString(),
                                Long.toString(Micros.of(cancel.at())),
                                word(cancel.actor().principal()),
                                word(cancel.actor().name()))
                        + "\n";
        var bytes = line.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > SLOT_BYTES) {
            return false;
        }
        try {
            write(used, bytes);
            used++;
            return true;
        } catch (IOException failure) {
            log.warn("a cancel cannot be kept: {}", failure.toString());
            return false;
        }
    }

    private static String word(String text) {
        return text.replaceAll("[\t\n\0]", " ");
    }

    private void write(int slot, byte[] bytes) throws IOException {
        var content = ByteBuffer.allocate(SLOT_BYTES).put(0, bytes);
        if (channel != null) {
            channel.write(content, (long) slot * SLOT_BYTES);
        }
    }

    /** If this fails, the next server cancels the same tasks again, which changes nothing. */
    @Override
    public void clear() {
        try {
            while (used > 0) {
                write(used - 1, new byte[0]);
                used--;
            }
        } catch (IOException failure) {
            log.warn("kept cancels cannot be cleared: {}", failure.toString());
        }
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
