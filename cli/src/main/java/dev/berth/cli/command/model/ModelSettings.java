package dev.berth.cli.command.model;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.command.task.EnvironmentOption;
import dev.berth.cli.command.task.TaskScript;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonWriter;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** The options of {@code berth models add}. They are the whole model: the rest has its default. */
final class ModelSettings {

    private static final CommandOption WORKER =
            CommandOption.withValue("--worker", "CMD", "add: the command that starts a worker");
    private static final CommandOption MEMORY =
            CommandOption.withValue("--memory", "6G", "add: GPU memory of a worker")
                    .withShortName("-m");
    private static final CommandOption MEMORY_MB =
            CommandOption.withValue("--memory-mb", "N", "add: the same in MB; 4000 if unset");
    private static final CommandOption PREWARM =
            CommandOption.flag("--prewarm", "add: load it now and when the server starts");
    private static final CommandOption WORK_DIR =
            CommandOption.withValue(
                            "--work-dir", "DIR", "add: directory of its workers (the current one)")
                    .withShortName("-C");
    private static final CommandOption IDLE =
            CommandOption.withValue(
                    "--idle", "10m", "add: unload a worker without work for this time");

    private static final CommandOption RUN_AS =
            CommandOption.withValue(
                    "--run-as",
                    "USER",
                    "add, as admin: for all users of the machine, with workers of this account");

    static final List<CommandOption> OPTIONS =
            List.of(
                    WORKER,
                    MEMORY,
                    MEMORY_MB,
                    PREWARM,
                    EnvironmentOption.OPTION,
                    WORK_DIR,
                    IDLE,
                    RUN_AS);

    private static final int MB_PER_GB = 1024;

    private ModelSettings() {}

    /** The body of the request. */
    static String body(ParsedOptions options, CallContext context) {
        String worker = options.value(WORKER);
        if (worker == null || worker.isBlank()) {
            throw new UsageError("give the command that starts a worker: --worker CMD");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("worker", TaskScript.checkDecoded(worker));
        addMemory(options, fields);
        if (options.has(PREWARM)) {
            fields.put("prewarm", true);
        }
        List<String> variables = options.values(EnvironmentOption.OPTION);
        if (!variables.isEmpty()) {
            fields.put("env", EnvironmentOption.variables(variables, context));
        }
        String directory = options.value(WORK_DIR);
        fields.put(
                "work_dir",
                TaskScript.checkDecoded(
                        context.cwd()
                                .resolve(directory == null ? "" : directory)
                                .normalize()
                                .toString()));
        addIdleTime(options, fields);
        String account = options.value(RUN_AS);
        if (account != null) {
            fields.put("run_as", TaskScript.checkDecoded(account));
        }
        return JsonWriter.write(fields);
    }

    private static void addMemory(ParsedOptions options, Map<String, Object> fields) {
        String memory = options.value(MEMORY);
        String megabytes = options.value(MEMORY_MB);
        if (memory != null && megabytes != null) {
            throw new UsageError("use --memory or --memory-mb, not both");
        }
        if (memory != null) {
            OptionalDouble gigabytes = AmountParser.gigabytes(memory);
            // Rounded up: a worker that gets less than stated fails.
            long rounded = (long) Math.ceil(gigabytes.orElse(0) * MB_PER_GB);
            if (gigabytes.isEmpty() || rounded > Integer.MAX_VALUE) {
                throw invalid(MEMORY, memory, "6G, 6000M or 6 (GB)");
            }
            fields.put("memory_mb", rounded);
        }
        if (megabytes != null) {
            int count = AmountParser.count(megabytes).orElse(0);
            if (count == 0) {
                throw invalid(MEMORY_MB, megabytes, "a number, 1 or more");
            }
            fields.put("memory_mb", count);
        }
    }

    private static void addIdleTime(ParsedOptions options, Map<String, Object> fields) {
        String idle = options.value(IDLE);
        if (idle != null) {
            fields.put(
                    "idle_seconds",
                    AmountParser.seconds(idle)
                            .orElseThrow(() -> invalid(IDLE, idle, "90s, 10m, 2h or 1d")));
        }
    }

    private static UsageError invalid(CommandOption option, String text, String format) {
        return new UsageError(
                option.name() + " '" + SafeText.line(text) + "' is invalid: " + format);
    }
}
