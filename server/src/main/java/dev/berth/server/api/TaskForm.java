package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.task.EnvironmentName;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Source;
import dev.berth.core.task.TaskSpec;
import dev.berth.server.http.Caller;
import dev.berth.server.http.JsonFields;
import dev.berth.server.http.Refused;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Reads a request for a new task, field by field. */
final class TaskForm {

    private static final int LONGEST_NAME = 200;
    private static final int LONGEST_OWNER = 100;
    private static final int LARGEST_COMMAND_BYTES = 1 << 20;
    private static final int LARGEST_ENV_BYTES = 128 << 10;
    private static final int MOST_GPUS = 1024;
    private static final int MOST_MEMORY_GB = 1_000_000;
    private static final double MIB_PER_GB = 1024;

    private static final List<String> KNOWN =
            List.of(
                    "name",
                    "command",
                    "gpu_type",
                    "gpu_count",
                    "devices",
                    "memory_gb",
                    "priority",
                    "work_dir",
                    "env",
                    "owner");

    /**
     * Words of the ledger that a request may carry one day. Until then they are refused, never
     * ignored.
     */
    private static final List<String> LATER =
            List.of(
                    "min_gpu",
                    "max_gpu",
                    "model_name",
                    "task_type",
                    "structure_n_atoms",
                    "timeout_seconds",
                    "max_retries",
                    "retry_count",
                    "lane",
                    "uni_id",
                    "draft",
                    "share",
                    "force_start",
                    "container_image",
                    "source",
                    "status",
                    "tags",
                    "depends_on",
                    "weight",
                    "vip");

    private final WorkDirs workDirs;

    TaskForm(WorkDirs workDirs) {
        this.workDirs = workDirs;
    }

    /** What a good form holds. */
    record Filled(Owner owner, TaskSpec spec) {}

    Filled read(JsonFields fields, Caller caller) throws Refused {
        fields.expect(KNOWN, LATER);
        var name = name(fields);
        var command = command(fields);
        var need = need(fields);
        var priority = priority(fields);
        var owner = owner(fields, caller).orElse(caller.owner());
        var workDir = workDirs.of(fields.text("work_dir"), owner);
        return new Filled(
                owner,
                new TaskSpec(
                        name, command, need, priority, Source.API, workDir, environment(fields)));
    }

    private static String name(JsonFields fields) throws Refused {
        var name = fields.requiredText("name").strip();
        if (name.isEmpty()) {
            throw Refused.invalid("name.empty", "name", "name must not be empty.");
        }
        if (name.codePointCount(0, name.length()) > LONGEST_NAME) {
            throw Refused.invalid(
                    "name.too_long",
                    "name",
                    "name may have " + LONGEST_NAME + " characters, this one is longer.");
        }
        if (hasControls(name)) {
            throw Refused.invalid(
                    "name.control", "name", "name must be one line without control characters.");
        }
        return name;
    }

    private static String command(JsonFields fields) throws Refused {
        var command = fields.requiredText("command");
        if (command.isBlank()) {
            throw Refused.invalid("command.empty", "command", "command must not be empty.");
        }
        int bytes = command.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > LARGEST_COMMAND_BYTES) {
            throw new Refused(
                    Rejected.invalid(
                                    "command.too_long",
                                    "command",
                                    "command may have 1 MiB ("
                                            + LARGEST_COMMAND_BYTES
                                            + " bytes), this one has "
                                            + bytes
                                            + ". Put it into a file and run that.")
                            .with("bytes", bytes)
                            .with("max", LARGEST_COMMAND_BYTES));
        }
        return command;
    }

    private static Need need(JsonFields fields) throws Refused {
        var devices = fields.text("devices").orElse("auto").strip();
        var type = fields.text("gpu_type").filter(word -> !word.equals("any"));
        var memory = fields.amount("memory_gb", MOST_MEMORY_GB);
        return switch (devices) {
            case "cpu" -> {
                // Read for its type as well: a count that is no number is wrong on a cpu task too.
                if (fields.wholeNumber("gpu_count", 0, MOST_GPUS).orElse(0) != 0) {
                    throw withCpu("gpu_count");
                }
                if (type.isPresent()) {
                    throw withCpu("gpu_type");
                }
                if (memory.isPresent()) {
                    throw withCpu("memory_gb");
                }
                yield Need.CPU;
            }
            case "auto" ->
                    new Need.Cards(
                            fields.wholeNumber("gpu_count", 1, MOST_GPUS).orElse(1),
                            type.isPresent() ? Optional.of(type(type.get())) : Optional.empty(),
                            memory.isPresent()
                                    ? OptionalLong.of(
                                            (long) Math.ceil(memory.getAsDouble() * MIB_PER_GB))
                                    : OptionalLong.empty());
            default ->
                    throw Refused.invalid(
                            "devices.unsupported",
                            "devices",
                            "devices is \"auto\" or \"cpu\"; other values are not supported yet.");
        };
    }

    private static Refused withCpu(String field) {
        return Refused.invalid(
                field + ".with_cpu",
                field,
                "devices \"cpu\" asks for no GPU, so " + field + " cannot be asked for.");
    }

    private static String type(String type) throws Refused {
        if (type.isBlank()) {
            throw Refused.invalid(
                    "gpu_type.empty",
                    "gpu_type",
                    "gpu_type is the name of a GPU model, or null for any.");
        }
        return type;
    }

    private static Priority priority(JsonFields fields) throws Refused {
        var word = fields.text("priority").orElse(Priority.NORMAL.name());
        for (var priority : Priority.values()) {
            if (priority.name().equals(word)) {
                return priority;
            }
        }
        var known =
                Arrays.stream(Priority.values())
                        .map(Priority::name)
                        .collect(Collectors.joining(", "));
        throw new Refused(
                Rejected.invalid(
                                "priority.unknown", "priority", "priority is one of " + known + ".")
                        .with("known", known));
    }

    /** Whom a task is for. */
    private static Optional<Owner> owner(JsonFields fields, Caller caller) throws Refused {
        var owner = fields.text("owner");
        if (owner.isEmpty()) {
            return Optional.empty();
        }
        var name = owner.get();
        if (name.isBlank()
                || name.length() > LONGEST_OWNER
                || hasControls(name)
                || !name.equals(name.strip())) {
            throw Refused.invalid("owner.invalid", "owner", "owner is the name of a user.");
        }
        var named = Owner.unix(name);
        if (!caller.isAdmin() && !named.equals(caller.owner())) {
            throw new Refused(
                    Rejected.forbidden(
                            "owner.not_you", "Only an admin may submit for somebody else."));
        }
        return Optional.of(named);
    }

    private static SortedMap<String, String> environment(JsonFields fields) throws Refused {
        var environment = fields.texts("env");
        long bytes = 0;
        for (var entry : environment.entrySet()) {
            var name = entry.getKey();
            var refusal = EnvironmentName.refusal(name);
            if (refusal.isPresent()) {
                throw refused(name, refusal.get());
            }
            bytes += name.length() + entry.getValue().getBytes(StandardCharsets.UTF_8).length + 2;
        }
        if (bytes > LARGEST_ENV_BYTES) {
            throw Refused.invalid(
                    "env.too_large",
                    "env",
                    "env may have "
                            + LARGEST_ENV_BYTES
                            + " bytes in all, this one has "
                            + bytes
                            + ".");
        }
        return environment;
    }

    /** What the launch would refuse is said now, while somebody is there to read it. */
    private static Refused refused(String name, EnvironmentName.Refusal why) {
        return switch (why) {
            case NO_NAME ->
                    Refused.invalid(
                            "env.name",
                            "env",
                            "A name in env has letters, digits and _, and does not begin with a"
                                    + " digit.");
            case BERTHS, BASHS ->
                    Refused.invalid("env.reserved", "env." + name, name + " " + why.words() + ".");
        };
    }

    static boolean hasControls(String text) {
        return text.codePoints()
                .anyMatch(
                        c ->
                                switch (Character.getType(c)) {
                                    case Character.CONTROL,
                                            Character.LINE_SEPARATOR,
                                            Character.PARAGRAPH_SEPARATOR ->
                                            true;
                                    default -> false;
                                });
    }
}
