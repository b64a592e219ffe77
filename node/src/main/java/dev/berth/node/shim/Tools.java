package dev.berth.node.shim;

import dev.berth.node.process.SearchPath;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The programs a shim is made of, by absolute path: the task's own PATH may lead anywhere. Only
 * {@code bash} runs when all is well; the others wait for a disk, where they must.
 */
public record Tools(Path bash, Path sync, Path sleep) {

    /**
     * @throws IOException that names the program that is missing
     */
    public static Tools find(SearchPath path) throws IOException {
        return new Tools(program("bash", path), program("sync", path), program("sleep", path));
    }

    private static Path program(String name, SearchPath path) throws IOException {
        return path.orUsual()
                .find(name)
                .orElseThrow(() -> new IOException("no program " + name + " on the PATH"));
    }
}
