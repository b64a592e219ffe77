package dev.berth.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The system time, moved by the seconds in the file {@code clock} of a test's failpoint directory.
 * Enabled only by {@code BERTH_FAILPOINTS=DIR}, like the failpoints.
 */
record TestableTime(Path file) implements InstantSource {

    static InstantSource ofThisProcess() {
        var directory = System.getenv(FileFailpoints.VARIABLE);
        return directory == null
                ? InstantSource.system()
                : new TestableTime(Path.of(directory).resolve("clock"));
    }

    @Override
    public Instant instant() {
        var now = Instant.now();
        try {
            return Files.exists(file)
                    ? now.plusSeconds(Long.parseLong(Files.readString(file).strip()))
                    : now;
        } catch (IOException | NumberFormatException beingWritten) {
            return now;
        }
    }
}
