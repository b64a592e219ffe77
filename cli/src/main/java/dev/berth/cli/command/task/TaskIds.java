package dev.berth.cli.command.task;

import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.SafeText;

import java.util.ArrayList;
import java.util.List;

/** Parses the task ids of a call. */
public final class TaskIds {

    private TaskIds() {}

    public static List<Long> parse(List<String> arguments) {
        if (arguments.isEmpty()) {
            throw new UsageError("give a task id (`berth ls` lists them)");
        }
        List<Long> ids = new ArrayList<>();
        for (String word : arguments) {
            ids.add(id(word));
        }
        return ids;
    }

    private static long id(String word) {
        try {
            long id = Long.parseLong(word);
            if (id > 0) {
                return id;
            }
        } catch (NumberFormatException notANumber) {
            // Reported below, together with numbers that are not ids.
        }
        throw new UsageError(
                "'" + SafeText.line(word) + "' is not a task id: ids are numbers from 1 up");
    }
}
