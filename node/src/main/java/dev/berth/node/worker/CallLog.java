package dev.berth.node.worker;

import dev.berth.node.shim.AttemptDirectory;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;

/** The log of a task that a worker runs. It is created with its first line. */
final class CallLog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CallLog.class);

    private final AttemptDirectory directory;
    private final long capBytes;
    private @Nullable OutputStream file;
    private long written;
    private boolean isGivenUp;

    CallLog(AttemptDirectory directory, long capBytes) {
        this.directory = directory;
        this.capBytes = capBytes;
    }

    /** A line that cannot be written is lost; the task goes on. */
    void add(String line) {
        if (isGivenUp) {
            return;
        }
        var bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            written += bytes.length;
            if (written > capBytes) {
                isGivenUp = true;
                bytes = "berth: the log is full\n".getBytes(StandardCharsets.UTF_8);
            }
            opened().write(bytes);
        } catch (IOException failure) {
            isGivenUp = true;
            log.warn("the log in {} cannot be written: {}", directory.path(), failure.toString());
        }
    }

    private OutputStream opened() throws IOException {
        var now = file;
        if (now == null) {
            directory.create();
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
        var now = file;
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
