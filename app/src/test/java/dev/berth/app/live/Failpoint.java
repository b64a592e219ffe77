package dev.berth.app.live;

import dev.berth.testkit.Eventually;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A named place in the program where a test can hold it. */
record Failpoint(Path directory, String name) {

    /** Whoever comes by from now on stands still. */
    Failpoint arm() {
        try {
            Files.deleteIfExists(hit());
            Files.writeString(armed(), "");
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("arming " + name, e);
        }
    }

    /** Lets whoever stands here go on. */
    void release() {
        try {
            Files.deleteIfExists(armed());
        } catch (IOException e) {
            throw new UncheckedIOException("releasing " + name, e);
        }
    }

    /** The pid of the process that stands here, once one does. */
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
