package dev.berth.node.shim;

import dev.berth.core.id.TaskId;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The directories {@code task_7} of all tasks. */
public final class TaskDirectories {
    private static final Pattern FOLDER = Pattern.compile("task_(\\d{1,18})");

    private TaskDirectories() {}

    public static Path directory(Path tasks, TaskId task) {
        return tasks.resolve("task_" + task);
    }

    /**
     * The highest id that has a directory, or 0. If the database was lost, a new one must not
     * assign that id again.
     */
    public static long highestId(Path tasks) throws IOException {
        try (var folders = Files.list(tasks)) {
            return folders.map(folder -> FOLDER.matcher(folder.getFileName().toString()))
                    .filter(Matcher::matches)
                    .mapToLong(match -> Long.parseLong(match.group(1)))
                    .max()
                    .orElse(0);
        } catch (NoSuchFileException none) {
            return 0;
        }
    }
}
