package dev.berth.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/** Device and inode of a file, which stay the same when it is renamed. */
record FileIdentity(Object key) {

    static FileIdentity of(Path path) throws IOException {
        return new FileIdentity(
                Objects.requireNonNull(
                        Files.readAttributes(path, BasicFileAttributes.class).fileKey()));
    }

    /** False also if nothing is there, or if that cannot be determined. */
    boolean isAt(Path path) {
        try {
            return of(path).equals(this);
        } catch (IOException e) {
            return false;
        }
    }
}
