package dev.berth.node.shim;

import dev.berth.node.process.SearchPath;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The programs that a shim uses, by absolute path, because the task controls its own PATH. Normally
 * only {@code bash} runs; the others are needed only if the disk is full, the record was not opened
 * in advance, or the output is copied.
 */
public record ShimTools(Path bash, Path sync, Path sleep, Path cat) {

    /**
     * @throws IOException that names the missing program
     */
    public static ShimTools find(SearchPath path) throws IOException {
        return new ShimTools(
                program("bash", path),
                program("sync", path),
                program("sleep", path),
                program("cat", path));
    }

    private static Path program(String name, SearchPath path) throws IOException {
        return path.orDefault()
                .find(name)
                .orElseThrow(() -> new IOException("no program " + name + " on the PATH"));
    }
}
