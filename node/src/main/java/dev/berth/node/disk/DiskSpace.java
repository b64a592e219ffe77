package dev.berth.node.disk;

import dev.berth.node.linux.InodeCount;

import java.io.IOException;
import java.nio.file.Path;

/** Space of one file system: what this user may still use, and the total. */
public record DiskSpace(long freeBytes, long totalBytes, InodeCount inodes) {

    /** Without the table of mounts, which in a chroot lacks the file system of its root. */
    public static DiskSpace of(Path path) throws IOException {
        var file = path.toFile();
        return new DiskSpace(file.getUsableSpace(), file.getTotalSpace(), InodeCount.of(path));
    }
}
