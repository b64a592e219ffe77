package dev.berth.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The directory that holds everything a server keeps. */
record Home(Path root) {

    Path runtime() {
        return root.resolve("runtime");
    }

    Path tasks() {
        return runtime().resolve("tasks");
    }

    Path database() {
        return runtime().resolve("tasks.db");
    }

    Path logs() {
        return root.resolve("logs");
    }

    /** Makes what is missing, readable by nobody else from the first moment. */
    void create() throws IOException {
        var mine =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        for (var directory : new Path[] {root, runtime(), tasks(), logs()}) {
            Files.createDirectories(directory, mine);
        }
    }
}
