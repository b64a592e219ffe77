package dev.berth.runs;

import java.io.IOException;
import java.nio.file.Path;

/** Exchanges the names of two files atomically. */
@FunctionalInterface
public interface AtomicExchange {

    /** For file systems without support. */
    AtomicExchange NONE = (_, _) -> false;

    /**
     * Returns false, and does nothing, if the file system does not support it.
     *
     * @throws java.nio.file.NoSuchFileException one of the files does not exist
     */
    boolean exchange(Path one, Path other) throws IOException;
}
