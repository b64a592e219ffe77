package dev.berth.app.endtoend;

import dev.berth.testkit.Eventually;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A named point in the program at which a test can block it. */
record Failpoint(Path directory, String name) {

    /** Blocks every thread that reaches the point from now on. */
    Failpoint arm() {
        try {
            Files.deleteIfExists(hit());
            Files.writeString(armed(), "");
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("arming " + name, e);
        }
    }

    /** Releases the blocked threads. */
    void release() {
        try {
            Files.deleteIfExists(armed());
        } catch (IOException e) {
            throw new UncheckedIOException("releasing " + name, e);
        }
    }

    /** The pid of the process that is blocked here; waits for one. */
    long awaitHit() {
        return Eventually.present(
                "somebody reaches " + name,
                () -> {
                    var content = Files.exists(hit()) ? Files.readString(hit()).strip() : "";
                    return content.isEmpty()
                            ? Optional.empty()
                            : Optional.of(Long.parseLong(content));
                });
    }

    private Path armed() {
        return directory.resolve(name + ".arm");
    }

    private Path hit() {
        return directory.resolve(name + ".hit");
    }
}
