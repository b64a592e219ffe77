package dev.berth.app.system;

import dev.berth.core.id.TaskId;
import dev.berth.files.AtomicFile;
import dev.berth.node.shim.TaskDirectories;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Pattern;

/**
 * Moves the folders of ended tasks into the directory of the node.
 *
 * @param from copies that only root could change
 * @param to on the same file system
 */
record TaskFolderMove(Path from, Path to) {

    /** What Berth itself links to. */
    private static final Pattern TARGET = Pattern.compile("attempts/[0-9]{1,9}(/[a-z_.]{1,30})?");

    void move(long oldId, long newId) throws IOException {
        var source = TaskDirectories.directory(from, new TaskId(oldId));
        var target = TaskDirectories.directory(to, new TaskId(newId));
        if (!Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS)
                || Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(source, new Cleaner());
        AtomicFile.rename(source, target);
    }

    /** Leaves only directories, regular files and links of Berth, for root alone. */
    private static final class Cleaner extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                throws IOException {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            if (attributes.isRegularFile()) {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            } else if (!attributes.isSymbolicLink()
                    || !TARGET.matcher(Files.readSymbolicLink(file).toString()).matches()) {
                Files.delete(file);
            }
            return FileVisitResult.CONTINUE;
        }
    }
}
