package dev.berth.server.api.command;

import dev.berth.core.Rejected;
import dev.berth.core.commandfile.Block;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.task.Need.GpuCount;
import dev.berth.http.JsonFields;
import dev.berth.http.RejectedException;
import dev.berth.server.api.need.NeedRequest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the content of a command file from a request. */
final class CommandFileRequest {

    private static final double MIB_PER_GB = 1024;

    private CommandFileRequest() {}

    /** The file's new text; empty if the request does not contain one. */
    static Optional<String> text(FileMode mode, JsonFields fields) throws RejectedException {
        fields.requireKnown(Set.of("content", "queues"), Set.of());
        var content = fields.text("content");
        if (fields.has("queues") && !fields.isNull("queues")) {
            if (content.isPresent()) {
                throw new RejectedException(
                        Rejected.invalid("parameter.conflict", "queues").variant("content_queues"));
            }
            return Optional.of(CommandFile.print(mode, blocks(mode, fields)));
        }
        return content;
    }

    private static List<Block> blocks(FileMode mode, JsonFields fields) throws RejectedException {
        var blocks = new ArrayList<Block>();
        int queue = 0;
        for (var one : fields.objects("queues")) {
            try {
                one.requireKnown(Set.of("queue_id", "tasks"), Set.of());
                int id = required(one, "queue_id");
                int task = 0;
                for (var entry : one.objects("tasks")) {
                    try {
                        blocks.add(block(mode, id, entry));
                    } catch (RejectedException refused) {
                        throw refused.inside("tasks[" + task + "]");
                    }
                    task++;
                }
            } catch (RejectedException refused) {
                throw refused.inside("queues[" + queue + "]");
            }
            queue++;
        }
        return blocks;
    }

    private static Block block(FileMode mode, int queue, JsonFields task) throws RejectedException {
        // Fields that only the response defines are accepted, so that a client may send the
        // response back.
        task.requireKnown(
                Set.of(
                        "commands",
                        "memory_gb",
                        "gpu_count",
                        "max_gpu",
                        "task_index",
                        "line",
                        "log_path"),
                Set.of());
        var memory = task.nonNegativeNumber("memory_gb", NeedRequest.MAX_MEMORY_GB);
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

    private static List<String> commands(JsonFields task) throws RejectedException {
        var commands = task.textList("commands");
        if (commands.isEmpty()) {
            throw missing("commands");
        }
        for (int i = 0; i < commands.size(); i++) {
            var command = commands.get(i);
            if (command.isBlank() || command.chars().anyMatch(c -> c == '\n' || c == '\r')) {
                throw RejectedException.invalid("commands.invalid", "commands[" + i + "]");
            }
        }
        return commands;
    }

    private static GpuCount count(FileMode mode, JsonFields task) throws RejectedException {
        var least = NeedRequest.gpuCount(task).orElse(GpuCount.of(1));
        int most =
                task.wholeNumber("max_gpu", least.max(), NeedRequest.MAX_GPUS).orElse(least.max());
        var count = new GpuCount(least.min(), most);
        if (mode == FileMode.SINGLE && count.max() > 1) {
            throw RejectedException.invalid("gpu_count.single", "gpu_count");
        }
        return count;
    }

    private static int required(JsonFields fields, String name) throws RejectedException {
        var number = fields.wholeNumber(name, 0, Integer.MAX_VALUE);
        if (number.isEmpty()) {
            throw missing(name);
        }
        return number.getAsInt();
    }

    private static RejectedException missing(String name) {
        return RejectedException.invalid("field.missing", name);
    }
}
