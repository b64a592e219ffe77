package dev.berth.node.shim;

import dev.berth.core.id.TaskId;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The directories {@code task_7} of all tasks. */
public final class TaskDirectories {
    private static final Pattern FOLDER = Pattern.compile("task_(\\d{1,18})");
    private static final Pattern ATTEMPT = Pattern.compile("[1-9]\\d{0,8}");

    private TaskDirectories() {}

    public static Path directory(Path tasks, TaskId task) {
        return tasks.resolve("task_" + task);
    }

    /**
     * The highest id that has a directory, or 0. If the database was lost, a new one must not
     * assign that id again.
     */
    public static long highestId(Path tasks) throws IOException {
        var ids = ids(tasks);
        return ids.length == 0 ? 0 : ids[ids.length - 1];
    }

    /** The ids that have a directory, in ascending order. */
    public static long[] ids(Path tasks) throws IOException {
        try (var folders = Files.list(tasks)) {
            return folders.map(folder -> FOLDER.matcher(folder.getFileName().toString()))
                    .filter(Matcher::matches)
                    .mapToLong(match -> Long.parseLong(match.group(1)))
                    .filter(id -> id > 0)
                    .sorted()
                    .toArray();
        } catch (NoSuchFileException none) {
            return new long[0];
        }
    }

    /** The numbers of the attempts whose files are there, in ascending order. */
    public static List<Integer> attempts(Path tasks, TaskId task) throws IOException {
        try (var folders = Files.list(directory(tasks, task).resolve("attempts"))) {
            return folders.map(folder -> folder.getFileName().toString())
                    .filter(name -> ATTEMPT.matcher(name).matches())
                    .map(Integer::valueOf)
                    .sorted()
                    .toList();
        } catch (NoSuchFileException | NotDirectoryException none) {
            return TaskFolder.of(tasks, task).isFolded() ? List.of(1) : List.of();
        }
    }
}
