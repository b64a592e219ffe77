package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.SafeText;
import dev.berth.core.commandfile.Block;
import dev.berth.core.commandfile.BlockProblem;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.task.Need;
import dev.berth.jsontext.JsonWriter;
import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;

/** Prints the tasks of a command file. Works without a server. */
final class ParseCommand implements CliCommand {

    private static final int MAX_BYTES = 10 << 20;
    private static final double MIB_PER_GB = 1024;

    private static final CommandOption MODE =
            CommandOption.withValue(
                    "--mode",
                    "MODE",
                    "single or multi; unless stated, multi where the name begins with"
                            + " command_gpus");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "parse",
                "FILE",
                "Show the tasks of a command file; exits 1 if a block is wrong",
                List.of(MODE, CommandOption.flag("--json", "print it as JSON")));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws IOException {
        if (options.arguments().size() != 1) {
            throw new UsageError("give a file: berth parse FILE");
        }
        var name = options.arguments().getFirst();
        var path = path(name, context);
        var mode = mode(options.value(MODE), path);
        var file = CommandFile.parse(mode, text(name, path));
        if (options.has(CommandOption.JSON)) {
            context.out().println(JsonWriter.write(fields(name, file, context)));
        } else {
            file.blocks().forEach(block -> context.out().println(line(block)));
        }
        context.out().flush();
        for (var problem : file.problems()) {
            context.err()
                    .println(
                            SafeText.line(name)
                                    + ":"
                                    + problem.line()
                                    + ": "
                                    + SafeText.line(sentence(problem, context)));
        }
        if (file.blocks().isEmpty() && file.problems().isEmpty()) {
            context.err().println(SafeText.line(name) + ": no task is in this file");
            return 1;
        }
        return file.problems().isEmpty() ? 0 : 1;
    }

    private static Path path(String name, CallContext context) {
        try {
            return context.cwd().resolve(name);
        } catch (InvalidPathException _) {
            throw new UsageError("not a file name: " + SafeText.line(name));
        }
    }

    private static FileMode mode(@Nullable String value, Path path) {
        if (value != null) {
            return FileMode.parse(value)
                    .orElseThrow(
                            () ->
                                    new UsageError(
                                            "--mode must be single or multi, not "
                                                    + SafeText.line(value)));
        }
        var name = String.valueOf(path.getFileName());
        return name.startsWith("command_gpus") ? FileMode.MULTI : FileMode.SINGLE;
    }

    private static String text(String name, Path path) throws IOException {
        var safeName = SafeText.line(name);
        if (!Files.exists(path)) {
            throw new CommandFailure("there is no file " + safeName);
        }
        if (!Files.isRegularFile(path)) {
            throw new CommandFailure(safeName + " is no plain file");
        }
        if (!Files.isReadable(path)) {
            throw new CommandFailure(safeName + " is not readable for you");
        }
        long size = Files.size(path);
        if (size > MAX_BYTES) {
            throw new CommandFailure(
                    safeName + " is larger than 10 MB, the maximum for a command file");
        }
        if (size == 0) {
            throw new CommandFailure(safeName + " is empty");
        }
        return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    }

    private static String line(Block block) {
        return "queue "
                + block.queue()
                + "  "
                + block.memoryGb()
                + " GB  "
                + gpus(block.gpuCount())
                + "  "
                + SafeText.line(block.commands().getFirst())
                + (block.commands().size() > 1 ? " …" : "");
    }

    private static String gpus(Need.GpuCount count) {
        if (count.max() > count.min()) {
            return count.min() + "-" + count.max() + " GPUs";
        }
        return count.min() == 1 ? "1 GPU" : count.min() + " GPUs";
    }

    private static LinkedHashMap<String, Object> fields(
            String name, CommandFile file, CallContext context) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("file", name);
        fields.put("mode", file.mode().apiName());
        fields.put("tasks", file.blocks().stream().map(ParseCommand::fields).toList());
        fields.put("problems", file.problems().stream().map(one -> fields(one, context)).toList());
        return fields;
    }

    private static LinkedHashMap<String, Object> fields(Block block) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("line", block.line());
        fields.put("queue_id", block.queue());
        fields.put("commands", block.commands());
        fields.put("memory_gb", block.memoryMib() / MIB_PER_GB);
        fields.put("gpu_count", block.gpuCount().min());
        fields.put("max_gpu", block.gpuCount().max());
        return fields;
    }

    private static LinkedHashMap<String, Object> fields(BlockProblem problem, CallContext context) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("line", problem.line());
        fields.put("code", problem.code());
        fields.put("detail", sentence(problem, context));
        return fields;
    }

    private static String sentence(BlockProblem problem, CallContext context) {
        var language = Language.of(context.language()).orElse(Language.ENGLISH);
        return Catalogue.in(language).sentence("block", problem.code(), problem.params());
    }
}
