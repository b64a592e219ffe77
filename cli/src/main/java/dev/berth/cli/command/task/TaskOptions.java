package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * The options of a task, from the command line or from its script; the command line takes
 * precedence. All values are sent to the server, which validates them.
 */
final class TaskOptions {

    private static final CommandOption GPUS =
            CommandOption.withValue(
                            "--gpus", "N|MIN-MAX", "number of GPUs (1), or a range like 2-4")
                    .withShortName("-g");
    private static final CommandOption MEMORY =
            CommandOption.withValue("--memory", "20G", "free memory that each GPU must have")
                    .withShortName("-m");
    private static final CommandOption SHARE =
            CommandOption.flag("--share", "other sharing tasks may use its GPUs; needs --memory");
    private static final CommandOption NO_SHARE =
            CommandOption.flag("--no-share", "it does not share its GPUs");
    private static final CommandOption TYPE =
            CommandOption.withValue("--type", "NAME", "only GPUs of this model");
    private static final CommandOption DEVICE =
            CommandOption.withValue("--device", "D", "auto, cpu, or GPU numbers: 0,1");
    private static final CommandOption PRIORITY =
            CommandOption.withValue("--priority", "P", "CRITICAL, HIGH, NORMAL or LOW")
                    .withShortName("-p");
    private static final CommandOption TIME =
            CommandOption.withValue("--time", "2h", "end it after this run time")
                    .withShortName("-t");
    static final CommandOption MODEL =
            CommandOption.withValue(
                    "--model",
                    "NAME",
                    "its model; without a command, a worker of the model runs the task");
    private static final CommandOption TASK_TYPE =
            CommandOption.withValue("--task-type", "NAME", "kind of work with the model");
    private static final CommandOption ATOMS =
            CommandOption.withValue(
                    "--atoms", "N", "number of atoms in its structure, to estimate memory");
    private static final CommandOption RETRIES =
            CommandOption.withValue("--retries", "N", "retry it up to N times if it fails");
    private static final CommandOption LANE =
            CommandOption.withValue("--lane", "X", "run the tasks of this lane one after another");
    private static final CommandOption NAME =
            CommandOption.withValue("--name", "X", "name of the task").withShortName("-n");
    private static final CommandOption ENV = EnvironmentOption.OPTION;
    private static final CommandOption WORK_DIR =
            CommandOption.withValue("--work-dir", "DIR", "working directory (the current one)")
                    .withShortName("-C");
    private static final CommandOption DRAFT =
            CommandOption.flag(
                    "--draft", "make it a draft: it starts only when you queue or launch it");

    /** For a new task. */
    static final List<CommandOption> FOR_SUBMIT =
            List.of(
                    GPUS,
                    MEMORY,
                    SHARE,
                    TYPE,
                    DEVICE,
                    PRIORITY,
                    TIME,
                    MODEL,
                    TASK_TYPE,
                    ATOMS,
                    RETRIES,
                    LANE,
                    NAME,
                    ENV,
                    CallerShell.EXPORT,
                    WORK_DIR,
                    DRAFT);

    /** For an existing task. */
    static final List<CommandOption> FOR_EDIT =
            List.of(
                    GPUS, MEMORY, SHARE, NO_SHARE, TYPE, DEVICE, PRIORITY, TIME, MODEL, TASK_TYPE,
                    ATOMS, NAME, ENV, WORK_DIR);

    /** For a task that is submitted again. */
    static final List<CommandOption> FOR_CLONE = List.of(MEMORY, TIME, NAME, ENV);

    private static final String CPU = "cpu";
    private static final String GPUS_FORMAT =
            "a number, 1 or more, or a range like 2-4 (no GPU: --device cpu)";

    private final ParsedOptions options;
    private final ParsedOptions scripted;
    private final CallContext context;
    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    private final List<CommandOption> resetOptions = new ArrayList<>();

    TaskOptions(ParsedOptions options, ParsedOptions scripted, CallContext context) {
        this.options = options;
        this.scripted = scripted;
        this.context = context;
    }

    /** True if the task waits for an explicit start. */
    boolean isDraft() {
        return has(DRAFT);
    }

    /** True if the task gets the caller's environment, umask and limits. */
    boolean isShellExported() {
        return CallerShell.isExported(value(CallerShell.EXPORT));
    }

    /** The fields of a request for a new task. */
    Map<String, @Nullable Object> fields(TaskScript script) {
        String name = typedValue(NAME);
        if (name != null || BatchLines.jobName(script.text()) == null) {
            fields.put("name", name == null ? TaskScript.checkDecoded(script.name()) : name);
        }
        fields.put("command", script.text());
        addNeeds();
        addTreatment();
        String directory = value(WORK_DIR);
        if (directory == null) {
            directory = BatchLines.directory(script.text());
        }
        fields.put("work_dir", directory(directory == null ? "" : directory));
        return fields;
    }

    /** The fields of a request for a new task that a worker of its model runs. */
    Map<String, @Nullable Object> modelTaskFields(Map<String, @Nullable Object> params) {
        for (CommandOption option : List.of(ENV, WORK_DIR)) {
            if (has(option)) {
                throw new UsageError(
                        option.name()
                                + " is for a task with a command: a worker has the environment and"
                                + " the directory of its model (give values with --param)");
            }
        }
        String name = typedValue(NAME);
        fields.put("name", name == null ? modelTaskName() : name);
        addNeeds();
        addTreatment();
        put("params", params.isEmpty() ? null : params);
        return fields;
    }

    private String modelTaskName() {
        String kind = typedValue(TASK_TYPE);
        return TaskScript.nameOf(typedValue(MODEL) + (kind == null ? "" : " " + kind));
    }

    private void addTreatment() {
        String retries = value(RETRIES);
        put("max_retries", retries == null ? null : count(RETRIES, retries));
        put("lane", value(LANE));
        put("draft", isDraft() ? true : null);
    }

    /** The fields of a request to change a task: only the given ones, null for a reset. */
    Map<String, @Nullable Object> changes() {
        reset(MEMORY, "none", "memory_gb");
        reset(TIME, "none", "timeout_seconds");
        reset(TYPE, "any", "gpu_type");
        reset(MODEL, "none", "model_name");
        reset(TASK_TYPE, "none", "task_type");
        reset(ATOMS, "none", "structure_n_atoms");
        put("name", typedValue(NAME));
        addNeeds();
        if (has(SHARE) && has(NO_SHARE)) {
            throw new UsageError("use --share or --no-share, not both");
        }
        put("share", has(NO_SHARE) ? false : null);
        String directory = value(WORK_DIR);
        put("work_dir", directory == null ? null : directory(directory));
        return fields;
    }

    private void reset(CommandOption option, String word, String field) {
        if (word.equalsIgnoreCase(value(option))) {
            fields.put(field, null);
            resetOptions.add(option);
        }
    }

    private void addNeeds() {
        put("devices", value(DEVICE));
        addGpus();
        put("gpu_type", value(TYPE));
        addMemory();
        put("share", has(SHARE) ? true : null);
        String priority = value(PRIORITY);
        put("priority", priority == null ? null : priority.toUpperCase(Locale.ROOT));
        addTimeLimit();
        put("model_name", typedValue(MODEL));
        put("task_type", typedValue(TASK_TYPE));
        String atoms = value(ATOMS);
        put("structure_n_atoms", atoms == null ? null : count(ATOMS, atoms));
        Map<String, Object> env = env();
        put("env", env.isEmpty() ? null : env);
    }

    /** {@code N}, or {@code MIN-MAX}. */
    private void addGpus() {
        String gpus = value(GPUS);
        if (gpus == null) {
            return;
        }
        int dash = gpus.indexOf('-');
        if (dash < 0) {
            int count = AmountParser.count(gpus).orElse(-1);
            // 0 is valid for a task without GPUs; for any other task it is a mistake.
            if (count < (CPU.equals(value(DEVICE)) ? 0 : 1)) {
                throw invalid(GPUS, gpus, GPUS_FORMAT);
            }
            fields.put("gpu_count", count);
            return;
        }
        int min = AmountParser.count(gpus.substring(0, dash)).orElse(0);
        int max = AmountParser.count(gpus.substring(dash + 1)).orElse(0);
        if (min < 1 || max < min) {
            throw invalid(GPUS, gpus, GPUS_FORMAT);
        }
        fields.put("min_gpu", min);
        fields.put("max_gpu", max);
    }

    private void addMemory() {
        String memory = value(MEMORY);
        if (memory != null) {
            OptionalDouble gigabytes = AmountParser.gigabytes(memory);
            if (gigabytes.isEmpty()) {
                throw invalid(MEMORY, memory, "20G, 20480M or 20 (GB)");
            }
            fields.put("memory_gb", gigabytes.getAsDouble());
        }
    }

    private void addTimeLimit() {
        String time = value(TIME);
        if (time != null) {
            OptionalInt seconds = AmountParser.seconds(time);
            if (seconds.isEmpty()) {
                throw invalid(TIME, time, "90s, 30m, 2h, 2d, 1d12h or 1:30:00");
            }
            fields.put("timeout_seconds", seconds.getAsInt());
        }
    }

    private Map<String, Object> env() {
        List<String> all = new ArrayList<>(scripted.values(ENV));
        all.addAll(options.values(ENV));
        return EnvironmentOption.variables(all, context);
    }

    private String directory(String directory) {
        return TaskScript.checkDecoded(context.cwd().resolve(directory).normalize().toString());
    }

    private boolean has(CommandOption option) {
        return options.has(option) || scripted.has(option);
    }

    private @Nullable String value(CommandOption option) {
        if (resetOptions.contains(option)) {
            return null;
        }
        String typed = options.value(option);
        return typed == null ? scripted.value(option) : typed;
    }

    private @Nullable String typedValue(CommandOption option) {
        String value = value(option);
        return value == null ? null : TaskScript.checkDecoded(value);
    }

    private void put(String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    private static int count(CommandOption option, String text) {
        OptionalInt count = AmountParser.count(text);
        if (count.isEmpty()) {
            throw invalid(option, text, "a number, 0 or more");
        }
        return count.getAsInt();
    }

    private static UsageError invalid(CommandOption option, String text, String format) {
        return new UsageError(
                option.name() + " '" + SafeText.line(text) + "' is invalid: " + format);
    }
}
