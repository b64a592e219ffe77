package dev.berth.app;

import dev.berth.port.Failpoints;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Failpoints that a test controls by files: while {@code P.arm} exists, a thread that reaches point
 * {@code P} blocks and writes the pid of this process to {@code P.hit}. Enabled only by {@code
 * BERTH_FAILPOINTS=DIR}.
 */
record FileFailpoints(Path directory) implements Failpoints {

    static final String VARIABLE = "BERTH_FAILPOINTS";

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Those that the environment of this process enables. */
    static Failpoints ofThisProcess() {
        var directory = System.getenv(VARIABLE);
        return directory == null ? Failpoints.NONE : new FileFailpoints(Path.of(directory));
    }

    @Override
    public void reach(String point) {
        var arm = directory.resolve(point + ".arm");
        if (!Files.exists(arm)) {
            return;
        }
        try {
            Files.writeString(
                    directory.resolve(point + ".hit"),
                    Long.toString(ProcessHandle.current().pid()));
        } catch (IOException failure) {
            throw new UncheckedIOException("failpoint " + point, failure);
        }
        while (Files.exists(arm)) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
