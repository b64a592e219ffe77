package dev.berth.server.api.command;

import dev.berth.core.commandfile.Block;
import dev.berth.core.commandfile.BlockProblem;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.http.Sentences;
import dev.berth.json.IsoTime;
import dev.berth.runs.CommandFiles;
import dev.berth.runs.CommandFiles.CommandFileEntry;
import dev.berth.runs.RunResources;
import dev.berth.wire.CommandConfig;
import dev.berth.wire.CommandEntry;
import dev.berth.wire.CommandQueue;
import dev.berth.wire.CommandTask;
import dev.berth.wire.FileProblem;
import dev.berth.wire.LogBinding;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Converts command files to JSON. */
public final class CommandFileJson {

    private static final double MIB_PER_GB = 1024;

    static final Map<String, String> TOO_LARGE =
            Map.of("max", Integer.toString(CommandFiles.MAX_BYTES));

    private final RunResources lanes;

    CommandFileJson(RunResources lanes) {
        this.lanes = lanes;
    }

    CommandEntry entry(CommandFileEntry config) throws IOException {
        var file = parsed(config, lanes.files().text(config).orElse(null));
        return new CommandEntry(
                config.index(),
                config.index() + 1,
                config.fileName(),
                file.blocks().size(),
                (int) file.blocks().stream().mapToInt(Block::queue).distinct().count(),
                file.problems().size(),
                running(config),
                IsoTime.format(lanes.files().modifiedAt(config)));
    }

    CommandConfig config(CommandFileEntry config, @Nullable String text) throws IOException {
        var file = parsed(config, text);
        return new CommandConfig(
                config.mode().apiName(),
                config.index(),
                config.index() + 1,
                config.fileName(),
                text == null ? "" : text,
                queues(file, logs(config)),
                problems(file.problems()),
                running(config));
    }

    public static List<FileProblem> problems(List<BlockProblem> problems) {
        return problems.stream()
                .map(one -> new FileProblem(one.line(), one.code(), Sentences.of(one)))
                .toList();
    }

    private static CommandFile parsed(CommandFileEntry config, @Nullable String text) {
        return text == null
                ? new CommandFile(
                        config.mode(),
                        List.of(),
                        List.of(new BlockProblem(1, "command.too_large", TOO_LARGE)))
                : CommandFile.parse(config.mode(), text);
    }

    private @Nullable Long running(CommandFileEntry config) {
        var pid = lanes.activeFiles().runId(config.mode(), config.index());
        return pid.isPresent() ? pid.getAsLong() : null;
    }

    private record Place(int queue, int task) {}

    private Map<Place, String> logs(CommandFileEntry config) throws IOException {
        return lanes.bindings().all().stream()
                .filter(
                        one ->
                                one.mode().equals(config.mode().apiName())
                                        && one.configIndex() == config.index())
                .collect(
                        Collectors.toMap(
                                one -> new Place(one.queueId(), one.taskIndex()),
                                LogBinding::logPath));
    }

    private static List<CommandQueue> queues(CommandFile file, Map<Place, String> logs) {
        var queues = new LinkedHashMap<Integer, List<CommandTask>>();
        for (var block : file.blocks()) {
            var tasks = queues.computeIfAbsent(block.queue(), _ -> new ArrayList<>());
            tasks.add(
                    new CommandTask(
                            tasks.size(),
                            block.line(),
                            block.commands(),
                            block.memoryMib() / MIB_PER_GB,
                            block.gpuCount().min(),
                            block.gpuCount().max(),
                            logs.get(new Place(block.queue(), tasks.size()))));
        }
        return queues.entrySet().stream()
                .map(queue -> new CommandQueue(queue.getKey(), queue.getValue()))
                .toList();
    }
}
