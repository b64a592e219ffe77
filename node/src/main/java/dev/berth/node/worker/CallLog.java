package dev.berth.node.worker;

import dev.berth.node.linux.PosixAcl;
import dev.berth.node.shim.AttemptDirectory;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.OptionalInt;

/**
 * The log of a task that a worker runs. It is created with its first line. A line that cannot be
 * written, on a full disk for instance, is lost and the task goes on; the log says how many lines
 * are missing as soon as it can be written again.
 */
final class CallLog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CallLog.class);

    private final AttemptDirectory directory;
    private final LogReader reader;
    private final long capBytes;
    private @Nullable OutputStream file;
    private long written;
    private long lostLines;
    private String lostWhy = "";
    private boolean isFull;
    private volatile boolean isClosed;

    /** The user who may read the log, besides this process's own. */
    @FunctionalInterface
    interface LogReader {
        /** Empty if there is none. May ask a name service. */
        OptionalInt uid() throws IOException;
    }

    CallLog(AttemptDirectory directory, LogReader reader, long capBytes) {
        this.directory = directory;
        this.reader = reader;
        this.capBytes = capBytes;
    }

    void add(String line) {
        if (isFull || isClosed) {
            return;
        }
        try {
            if (lostLines > 0) {
                // On a new line: a part of the first lost line may have been written.
                write(encoded("\nberth: " + lostLines + " lines were not written: " + lostWhy));
                lostLines = 0;
            }
            var bytes = encoded(line);
            isFull = written + bytes.length > capBytes;
            write(isFull ? encoded("berth: the log is full") : bytes);
        } catch (IOException failure) {
            lose(failure);
        }
    }

    private static byte[] encoded(String line) {
        return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private void write(byte[] bytes) throws IOException {
        opened().write(bytes);
        written += bytes.length;
    }

    private void lose(IOException failure) {
        lostLines++;
        if (lostLines == 1) {
            lostWhy = String.valueOf(failure.getMessage());
            log.warn("the log in {} cannot be written: {}", directory.path(), failure.toString());
        }
        closeFile();
    }

    private OutputStream opened() throws IOException {
        var now = file;
        if (now == null) {
            directory.create();
            var uid = reader.uid();
            if (uid.isPresent()) {
                directory.openLogFor(uid.getAsInt(), PosixAcl.READ);
            }
            now =
                    Files.newOutputStream(
                            directory.log(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            file = now;
            directory.linkLatest();
        }
        return now;
    }

    @Override
    public void close() {
        isClosed = true;
        closeFile();
    }

    private void closeFile() {
        var now = file;
        file = null;
        if (now != null) {
            try {
                now.close();
            } catch (IOException failure) {
                log.warn(
                        "the log in {} cannot be closed: {}", directory.path(), failure.toString());
            }
        }
    }
}
