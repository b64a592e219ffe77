package dev.berth.app;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.text.Clean;
import dev.berth.core.lane.Block;
import dev.berth.core.lane.CommandFile;
import dev.berth.core.lane.Mode;
import dev.berth.core.lane.Problem;
import dev.berth.core.task.Need;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;

/** Says what a command file would run, whether a server runs or not. */
final class Parse implements Command {

    private static final int LARGEST_BYTES = 10 << 20;
    private static final double MIB_PER_GB = 1024;

    private static final Option MODE =
            Option.valued(
                    "--mode",
                    "MODE",
                    "single or multi; unless stated, multi where the name begins with"
                            + " command_gpus");

    @Override
    public Syntax syntax() {
        return new Syntax(
                "parse",
                "FILE",
                "Show the tasks of a command file; exits 1 if a block is wrong",
                List.of(MODE, Option.flag("--json", "print it as JSON")));
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException {
        if (given.arguments().size() != 1) {
            throw new UsageError("which file? berth parse FILE");
        }
        var name = given.arguments().getFirst();
        var path = path(name, around);
        var mode = mode(given.value(MODE), path);
        var file = CommandFile.parse(mode, text(name, path));
        if (given.has(Option.JSON)) {
            around.out().println(JsonText.of(fields(name, file)));
        } else {
            file.blocks().forEach(block -> around.out().println(line(block)));
        }
        around.out().flush();
        for (var problem : file.problems()) {
            around.err()
                    .println(
                            Clean.line(name)
                                    + ":"
                                    + problem.line()
                                    + ": "
                                    + Clean.line(problem.detail()));
        }
        if (file.blocks().isEmpty() && file.problems().isEmpty()) {
            around.err().println(Clean.line(name) + ": no task is in this file");
            return 1;
        }
        return file.problems().isEmpty() ? 0 : 1;
    }

    private static Path path(String name, Surroundings around) {
        try {
            return around.cwd().resolve(name);
        } catch (InvalidPathException _) {
            throw new UsageError("no name of a file: " + Clean.line(name));
        }
    }

    private static Mode mode(@Nullable String word, Path path) {
        if (word != null) {
            return Mode.of(word)
                    .orElseThrow(
                            () ->
                                    new UsageError(
                                            "--mode is single or multi, not " + Clean.line(word)));
        }
        var name = String.valueOf(path.getFileName());
        return name.startsWith("command_gpus") ? Mode.MULTI : Mode.SINGLE;
    }

    private static String text(String name, Path path) throws IOException {
        var shown = Clean.line(name);
        if (!Files.exists(path)) {
            throw new Refused("there is no file " + shown);
        }
        if (!Files.isRegularFile(path)) {
            throw new Refused(shown + " is no plain file");
        }
        if (!Files.isReadable(path)) {
            throw new Refused(shown + " may not be read by you");
        }
        long size = Files.size(path);
        if (size > LARGEST_BYTES) {
            throw new Refused(
                    shown + " is larger than 10 MB, the most that a command file may have");
        }
        if (size == 0) {
            throw new Refused(shown + " is empty");
        }
        return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    }

    private static String line(Block block) {
        return "queue "
                + block.queue()
                + "  "
                + block.gigabytes()
                + " GB  "
                + cards(block.count())
                + "  "
                + Clean.line(block.commands().getFirst())
                + (block.commands().size() > 1 ? " …" : "");
    }

    private static String cards(Need.Count count) {
        if (count.most() > count.least()) {
            return count.least() + "-" + count.most() + " GPUs";
        }
        return count.least() == 1 ? "1 GPU" : count.least() + " GPUs";
    }

    private static LinkedHashMap<String, Object> fields(String name, CommandFile file) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("file", name);
        fields.put("mode", file.mode().word());
        fields.put("tasks", file.blocks().stream().map(Parse::fields).toList());
        fields.put("problems", file.problems().stream().map(Parse::fields).toList());
        return fields;
    }

    private static LinkedHashMap<String, Object> fields(Block block) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("line", block.line());
        fields.put("queue_id", block.queue());
        fields.put("commands", block.commands());
        fields.put("memory_gb", block.memoryMib() / MIB_PER_GB);
        fields.put("gpu_count", block.count().least());
        fields.put("max_gpu", block.count().most());
        return fields;
    }

    private static LinkedHashMap<String, Object> fields(Problem problem) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("line", problem.line());
        fields.put("code", problem.code());
        fields.put("detail", problem.detail());
        return fields;
    }
}
