package dev.berth.app;

import dev.berth.engine.port.Failpoints;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Failpoints that a test arms by files: at point {@code P}, while {@code P.arm} exists, the thread
 * stands still and {@code P.hit} names this process. Turned on by {@code BERTH_FAILPOINTS=DIR},
 * never otherwise.
 */
record FileFailpoints(Path directory) implements Failpoints {

    static final String VARIABLE = "BERTH_FAILPOINTS";

    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

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
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }
}
