package dev.berth.cli.command;

import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.Clean;

import java.util.ArrayList;
import java.util.List;

/** The tasks that a call names. */
final class TaskIds {

    private TaskIds() {}

    static List<Long> of(List<String> words) {
        if (words.isEmpty()) {
            throw new UsageError("which task? Give its id (`berth ls` shows them)");
        }
        List<Long> ids = new ArrayList<>();
        for (String word : words) {
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
            // Said below, with the numbers that are no ids.
        }
        throw new UsageError(
                "'" + Clean.line(word) + "' is not a task id: ids are numbers from 1 up");
    }
}
