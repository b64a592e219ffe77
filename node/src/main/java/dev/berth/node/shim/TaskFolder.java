package dev.berth.node.shim;

import dev.berth.core.id.TaskId;
import dev.berth.node.linux.FileExchange;
import dev.berth.node.linux.PosixAcl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The directory {@code task_7} of an ended task. While the task runs, each attempt has a directory
 * of its own, with files that only the start and the end need. <em>Folding</em> leaves one
 * directory with the files of the only attempt that people and recovery read: 6 inodes instead of
 * up to 14.
 */
record TaskFolder(Path path) {

    /** A {@code go} without an exit code proves that the attempt started and left no record. */
    private static final Set<String> KEPT =
            Set.of("run.sh", "command.sh", "tmux.log", "tmux.log.gaps", "exit_code", "go");

    private static final String UID = "unix:uid";

    /** A FIFO where tasks run as their owners. */
    private static final String END_REPORT = "command.end";

    private static final Set<String> DROPPED =
            Set.of("exit_code.pending", "go.pending", END_REPORT, "consumption", "consumption.new");

    private static final Set<String> LINKS =
            Set.of("run.sh", "command.sh", "tmux.log", "exit_code", "attempts");

    /** What came of an attempt to fold it. */
    enum Result {
        FOLDED,
        /** It is folded already, or it cannot be folded. */
        LEFT,
        /** This file system cannot exchange two directories. */
        UNSUPPORTED
    }

    static TaskFolder of(Path tasks, TaskId task) {
        return new TaskFolder(TaskDirectories.directory(tasks, task));
    }

    /** True if the files of the first attempt are in the task's own directory. */
    boolean isFolded() {
        // A new task has neither, a running one a link.
        return isFile(path.resolve("run.sh"))
                && !Files.isDirectory(attempt(1), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Folds the directory in one step, by an exchange with {@code spare}: a crash leaves it folded
     * or not. A directory with several attempts or with files of other programs is left alone.
     *
     * @param spare an unused path on the same file system; what is there afterwards can be deleted
     */
    Result fold(Path spare) throws IOException {
        var only = attempt(1);
        if (!Files.isDirectory(only, LinkOption.NOFOLLOW_LINKS) || !isFoldable(only)) {
            return Result.LEFT;
        }
        ExitRecord.publish(new AttemptDirectory(only));
        Files.createDirectory(
                spare,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var owner = PosixAcl.read(path);
        if (owner.isPresent()) {
            owner.get().set(spare, true);
        }
        for (var name : KEPT) {
            if (isFile(only.resolve(name))) {
                Files.createLink(spare.resolve(name), only.resolve(name));
            }
        }
        return FileExchange.exchange(spare, path) ? Result.FOLDED : Result.UNSUPPORTED;
    }

    /** A file of another user cannot get a second name. */
    private static boolean isOwn(Path file, Path directory) throws IOException {
        return Files.getAttribute(file, UID, LinkOption.NOFOLLOW_LINKS)
                .equals(Files.getAttribute(directory, UID, LinkOption.NOFOLLOW_LINKS));
    }

    private boolean isFoldable(Path only) throws IOException {
        return names(path.resolve("attempts")).equals(List.of("1"))
                && LINKS.containsAll(names(path))
                && names(only).stream()
                        .allMatch(
                                name ->
                                        (KEPT.contains(name) || DROPPED.contains(name))
                                                && (isFile(only.resolve(name))
                                                        || name.equals(END_REPORT)))
                && isFile(only.resolve("run.sh"))
                && hasOwnFilesOnly(only);
    }

    private boolean hasOwnFilesOnly(Path only) throws IOException {
        for (var name : KEPT) {
            var file = only.resolve(name);
            if (isFile(file) && !isOwn(file, path)) {
                return false;
            }
        }
        return true;
    }

    private Path attempt(int number) {
        return path.resolve("attempts").resolve(Integer.toString(number));
    }

    private static boolean isFile(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return new ArrayList<>(entries.map(entry -> entry.getFileName().toString()).toList());
        }
    }
}
