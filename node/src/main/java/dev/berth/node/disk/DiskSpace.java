package dev.berth.node.disk;

import dev.berth.node.linux.InodeCount;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Space of one file system: what this user may still use, and the total. */
public record DiskSpace(long freeBytes, long totalBytes, InodeCount inodes) {

    public static DiskSpace of(Path path) throws IOException {
        var store = Files.getFileStore(path);
        return new DiskSpace(store.getUsableSpace(), store.getTotalSpace(), InodeCount.of(path));
    }
}
