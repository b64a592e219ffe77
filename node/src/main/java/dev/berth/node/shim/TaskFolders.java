package dev.berth.node.shim;

import dev.berth.core.task.TaskId;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The folders {@code task_7} of all tasks. */
public final class TaskFolders {
    private static final Pattern FOLDER = Pattern.compile("task_(\\d{1,18})");

    private TaskFolders() {}

    public static Path folder(Path tasks, TaskId task) {
        return tasks.resolve("task_" + task);
    }

    /**
     * The highest id that has a folder, 0 where none has: a database that was lost must not give it
     * again.
     */
    public static long highest(Path tasks) throws IOException {
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
