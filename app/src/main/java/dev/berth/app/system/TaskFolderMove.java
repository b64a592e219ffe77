package dev.berth.app.system;

import dev.berth.core.id.TaskId;
import dev.berth.files.AtomicFile;
import dev.berth.node.linux.PosixAcl;
import dev.berth.node.shim.TaskDirectories;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Moves the folders of ended tasks into the directory of the node.
 *
 * @param from copies that only root could change
 * @param to on the same file system
 * @param owner the uid of the new owner, who may read the logs as those of tasks that ran here
 */
record TaskFolderMove(Path from, Path to, int owner) {

    /** What Berth itself links to. */
    private static final Pattern TARGET = Pattern.compile("attempts/[0-9]{1,9}(/[a-z_.]{1,30})?");

    void move(long oldId, long newId) throws IOException {
        var source = TaskDirectories.directory(from, new TaskId(oldId));
        var target = TaskDirectories.directory(to, new TaskId(newId));
        if (!Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS)
                || Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(source, new Cleaner(owner));
        AtomicFile.rename(source, target);
    }

    /** The rights that the node gives the owner of a task. */
    private static final Map<String, Integer> OWNER_RIGHTS =
            Map.of("tmux.log", PosixAcl.READ | PosixAcl.WRITE, "exit_code", PosixAcl.READ);

    /**
     * Leaves only directories, regular files and links of Berth. They are for root alone, except
     * what the owner of a task may use.
     */
    private static final class Cleaner extends SimpleFileVisitor<Path> {
        private final int owner;

        Cleaner(int owner) {
            this.owner = owner;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                throws IOException {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            new PosixAcl(owner, PosixAcl.EXECUTE).set(directory, true);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            if (attributes.isRegularFile()) {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
                var rights = OWNER_RIGHTS.get(file.getFileName().toString());
                if (rights != null) {
                    new PosixAcl(owner, rights).set(file, false);
                }
            } else if (!attributes.isSymbolicLink()
                    || !TARGET.matcher(Files.readSymbolicLink(file).toString()).matches()) {
                Files.delete(file);
            }
            return FileVisitResult.CONTINUE;
        }
    }
}
