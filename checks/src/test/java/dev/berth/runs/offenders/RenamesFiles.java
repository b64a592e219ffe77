package dev.berth.runs.offenders;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Replace files without {@code AtomicFile}. */
public final class RenamesFiles {
    private RenamesFiles() {}

    static final class Atomically {
        void replace(Path from, Path to) throws IOException {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    static final class Plainly {
        void replace(Path from, Path to) throws IOException {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
