package dev.berth.server.lane;

import java.io.IOException;
import java.nio.file.Path;

/** Lets two files change names in one step. */
@FunctionalInterface
public interface Swap {

    /** Where the file system cannot. */
    Swap NONE = (_, _) -> false;

    /**
     * False where that cannot be done here, and nothing was.
     *
     * @throws java.nio.file.NoSuchFileException one of them is not there
     */
    boolean exchange(Path one, Path other) throws IOException;
}
