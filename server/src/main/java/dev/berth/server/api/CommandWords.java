package dev.berth.server.api;

import dev.berth.core.lane.Block;
import dev.berth.core.lane.CommandFile;
import dev.berth.core.lane.Problem;
import dev.berth.server.lane.CommandFiles;
import dev.berth.server.lane.CommandFiles.Config;
import dev.berth.server.lane.Lanes;
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

/** Command files as they travel. */
final class CommandWords {

    private static final double MIB_PER_GB = 1024;

    static final String TOO_LARGE =
            "A command file may have 10 MB ("
                    + CommandFiles.LARGEST_BYTES
                    + " bytes), this one is larger. Make several files of it.";

    private final Lanes lanes;

    CommandWords(Lanes lanes) {
        this.lanes = lanes;
    }

    CommandEntry entry(Config config) throws IOException {
        var file = parsed(config, config.text().orElse(null));
        return new CommandEntry(
                config.index(),
                config.index() + 1,
                config.file(),
                file.blocks().size(),
                (int) file.blocks().stream().mapToInt(Block::queue).distinct().count(),
                file.problems().size(),
                running(config),
                Times.text(config.modifiedAt()));
    }

    CommandConfig config(Config config, @Nullable String text) throws IOException {
        var file = parsed(config, text);
        return new CommandConfig(
                config.mode().word(),
                config.index(),
                config.index() + 1,
                config.file(),
                text == null ? "" : text,
                queues(file, logs(config)),
                problems(file.problems()),
                running(config));
    }

    static List<FileProblem> problems(List<Problem> problems) {
        return problems.stream()
                .map(one -> new FileProblem(one.line(), one.code(), one.detail()))
                .toList();
    }

    private static CommandFile parsed(Config config, @Nullable String text) {
        return text == null
                ? new CommandFile(
                        config.mode(),
                        List.of(),
                        List.of(new Problem(1, "command.too_large", TOO_LARGE)))
                : CommandFile.parse(config.mode(), text);
    }

    private @Nullable Long running(Config config) {
        var pid = lanes.running().pid(config.mode(), config.index());
        return pid.isPresent() ? pid.getAsLong() : null;
    }

    private record Place(int queue, int task) {}

    private Map<Place, String> logs(Config config) throws IOException {
        return lanes.bindings().all().stream()
                .filter(
                        one ->
                                one.mode().equals(config.mode().word())
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
                            block.count().least(),
                            block.count().most(),
                            logs.get(new Place(block.queue(), tasks.size()))));
        }
        return queues.entrySet().stream()
                .map(queue -> new CommandQueue(queue.getKey(), queue.getValue()))
                .toList();
    }
}
