package dev.berth.server.api;

import dev.berth.core.lane.Block;
import dev.berth.core.lane.CommandFile;
import dev.berth.core.lane.Mode;
import dev.berth.core.task.Need.Count;
import dev.berth.server.http.JsonFields;
import dev.berth.server.http.Refused;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads what a command file is to hold. */
final class CommandForm {

    private static final double MIB_PER_GB = 1024;

    private CommandForm() {}

    /** The file's new text; empty where nothing is said of it. */
    static Optional<String> text(Mode mode, JsonFields fields) throws Refused {
        fields.expect(Set.of("content", "queues"), Set.of());
        var content = fields.text("content");
        if (fields.has("queues") && !fields.isNull("queues")) {
            if (content.isPresent()) {
                throw Refused.invalid(
                        "parameter.conflict", "queues", "Send content or queues, not both.");
            }
            return Optional.of(CommandFile.print(mode, blocks(mode, fields)));
        }
        return content;
    }

    private static List<Block> blocks(Mode mode, JsonFields fields) throws Refused {
        var blocks = new ArrayList<Block>();
        int queue = 0;
        for (var one : fields.objects("queues")) {
            try {
                one.expect(Set.of("queue_id", "tasks"), Set.of());
                int id = required(one, "queue_id");
                int task = 0;
                for (var entry : one.objects("tasks")) {
                    try {
                        blocks.add(block(mode, id, entry));
                    } catch (Refused refused) {
                        throw refused.within("tasks[" + task + "]");
                    }
                    task++;
                }
            } catch (Refused refused) {
                throw refused.within("queues[" + queue + "]");
            }
            queue++;
        }
        return blocks;
    }

    private static Block block(Mode mode, int queue, JsonFields task) throws Refused {
        // What the file's own answer also says of a task is understood, so that it may come back.
        task.expect(
                Set.of(
                        "commands",
                        "memory_gb",
                        "gpu_count",
                        "max_gpu",
                        "task_index",
                        "line",
                        "log_path"),
                Set.of());
        var memory = task.measure("memory_gb", NeedForm.MOST_MEMORY_GB);
        if (memory.isEmpty()) {
            throw missing("memory_gb");
        }
        return new Block(
                1,
                queue,
                commands(task),
                (long) Math.ceil(memory.getAsDouble() * MIB_PER_GB),
                count(mode, task));
    }

    private static List<String> commands(JsonFields task) throws Refused {
        var commands = task.words("commands");
        if (commands.isEmpty()) {
            throw missing("commands");
        }
        for (int i = 0; i < commands.size(); i++) {
            var command = commands.get(i);
            if (command.isBlank() || command.chars().anyMatch(c -> c == '\n' || c == '\r')) {
                throw Refused.invalid(
                        "commands.invalid",
                        "commands[" + i + "]",
                        "A command is one line that says something. Give each line its own place in"
                                + " the list.");
            }
        }
        return commands;
    }

    private static Count count(Mode mode, JsonFields task) throws Refused {
        var least = NeedForm.stated(task).orElse(Count.of(1));
        int most =
                task.wholeNumber("max_gpu", least.most(), NeedForm.MOST_GPUS).orElse(least.most());
        var count = new Count(least.least(), most);
        if (mode == Mode.SINGLE && count.most() > 1) {
            throw Refused.invalid(
                    "gpu_count.single",
                    "gpu_count",
                    "Tasks of a single file take one GPU. Leave gpu_count out, or use the multi"
                            + " mode.");
        }
        return count;
    }

    private static int required(JsonFields fields, String name) throws Refused {
        var number = fields.wholeNumber(name, 0, Integer.MAX_VALUE);
        if (number.isEmpty()) {
            throw missing(name);
        }
        return number.getAsInt();
    }

    private static Refused missing(String name) {
        return Refused.invalid("field.missing", name, name + " is missing.");
    }
}
