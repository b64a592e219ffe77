package dev.berth.node.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Of one file system, in bytes: what this user may still take of it, and all of it. */
public record DiskSpace(long free, long total) {

    public static DiskSpace of(Path path) throws IOException {
        var store = Files.getFileStore(path);
        return new DiskSpace(store.getUsableSpace(), store.getTotalSpace());
    }
}
