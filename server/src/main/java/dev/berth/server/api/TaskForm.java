package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.task.EnvironmentName;
import dev.berth.core.task.Lane;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Source;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.Command;
import dev.berth.server.http.Caller;
import dev.berth.server.http.JsonFields;
import dev.berth.server.http.Refused;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads a request for a new task, field by field. */
final class TaskForm {

    private static final int LONGEST_NAME = 200;
    private static final int LONGEST_OWNER = 100;
    private static final int LARGEST_COMMAND_BYTES = 1 << 20;
    private static final int MOST_RETRIES = 1000;
    private static final Pattern LANE = Pattern.compile("[\\p{L}\\p{N}._-]{1,64}");
    private static final int LARGEST_ENV_BYTES = 128 << 10;

    /** What can also be changed while a task has not started. */
    private static final List<String> CHANGEABLE =
            List.of(
                    "name",
                    "command",
                    "gpu_type",
                    "gpu_count",
                    "min_gpu",
                    "max_gpu",
                    "devices",
                    "memory_gb",
                    "share",
                    "model_name",
                    "task_type",
                    "structure_n_atoms",
                    "timeout_seconds",
                    "priority",
                    "max_retries",
                    "work_dir",
                    "env");

    /** What may be different when a task is run again. */
    private static final List<String> AGAIN =
            List.of("name", "memory_gb", "timeout_seconds", "env");

    private static final List<String> KNOWN =
            Stream.concat(CHANGEABLE.stream(), Stream.of("draft", "owner", "lane")).toList();

    /**
     * Words of the ledger that a request may carry one day. Until then they are refused, never
     * ignored.
     */
    private static final List<String> LATER =
            List.of(
                    "retry_count",
                    "uni_id",
                    "force_start",
                    "container_image",
                    "source",
                    "status",
                    "tags",
                    "depends_on",
                    "weight",
                    "vip");

    private final WorkDirs workDirs;
    private final WorkForm work;

    TaskForm(WorkDirs workDirs, TimeLimits limits) {
        this.workDirs = workDirs;
        this.work = new WorkForm(limits);
    }

    Command.Entry read(JsonFields fields, Caller caller) throws Refused {
        return read(fields, caller, workDirs.look());
    }

    /** Of several, the one at fault is named by its place. */
    List<Command.Entry> readAll(List<JsonFields> all, Caller caller) throws Refused {
        var look = workDirs.look();
        var entries = new ArrayList<Command.Entry>();
        for (var fields : all) {
            try {
                entries.add(read(fields, caller, look));
            } catch (Refused refused) {
                throw refused.within("[" + entries.size() + "]");
            }
        }
        return entries;
    }

    private Command.Entry read(JsonFields fields, Caller caller, WorkDirs.Look look)
            throws Refused {
        fields.expect(KNOWN, LATER);
        var owner = owner(fields, caller).orElse(caller.owner());
        return new Command.Entry(owner, spec(fields, owner, look), fields.flag("draft"));
    }

    /** What a task asks for once this is changed, which must be good as a whole. */
    TaskSpec change(JsonFields change, Task task) throws Refused {
        var below = PresentForm.below(change, task.spec(), work.limits());
        var changed = spec(change.over(below), task.owner(), workDirs.look());
        return task.spec()
                .lane()
                .map(lane -> changed.with(lane, changed.mostRetries()))
                .orElse(changed)
                .from(task.spec().source());
    }

    /** What a task asks for when it is run again with these changes, if any. */
    TaskSpec again(JsonFields changes, Task task) throws Refused {
        if (changes.isEmpty()) {
            return task.spec();
        }
        var changed = change(changes, task);
        var environment = new TreeMap<>(task.spec().environment());
        environment.putAll(changed.environment());
        return changed.in(environment);
    }

    static void expectAgain(JsonFields changes) throws Refused {
        changes.expect(AGAIN, LATER);
    }

    static void expectChange(JsonFields change) throws Refused {
        change.expect(CHANGEABLE, LATER);
        if (change.isEmpty()) {
            throw Refused.invalid(
                    "change.empty",
                    "",
                    "Nothing is to be changed. Name what is, like {\"priority\": \"HIGH\"}.");
        }
    }

    private TaskSpec spec(JsonFields fields, Owner owner, WorkDirs.Look look) throws Refused {
        var name = name(fields);
        var command = command(fields);
        var need = NeedForm.read(fields);
        var model = WorkForm.work(fields);
        return new TaskSpec(
                name,
                command,
                need,
                model,
                work.timeLimit(fields, model),
                priority(fields),
                Source.API,
                look.of(fields.text("work_dir"), owner),
                environment(fields),
                lane(fields),
                fields.wholeNumber("max_retries", 0, MOST_RETRIES));
    }

    private static Optional<Lane> lane(JsonFields fields) throws Refused {
        var name = fields.text("lane");
        if (name.isPresent() && !LANE.matcher(name.get()).matches()) {
            throw Refused.invalid(
                    "lane.invalid",
                    "lane",
                    "lane is a name of 1 to 64 letters, digits and the signs . _ and -.");
        }
        return name.map(Lane.Named::new);
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
