package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.access.CommandPolicy;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.EnvironmentName;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Requirements;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.EngineCommand;
import dev.berth.http.Caller;
import dev.berth.http.JsonFields;
import dev.berth.http.RejectedException;
import dev.berth.server.api.ControlCharacters;
import dev.berth.server.api.need.NeedRequest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads a request for a new task, field by field. */
public final class TaskRequest {

    private static final int MAX_NAME_LENGTH = 200;
    private static final int MAX_OWNER_LENGTH = 100;
    private static final int MAX_COMMAND_BYTES = 1 << 20;
    private static final int MAX_RETRIES = 1000;
    private static final Pattern LANE = Pattern.compile("[\\p{L}\\p{N}._-]{1,64}");
    private static final int MAX_ENV_BYTES = 128 << 10;

    /** Fields that can be changed while a task has not started. */
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
                    "params",
                    "timeout_seconds",
                    "priority",
                    "max_retries",
                    "work_dir",
                    "env");

    /** Fields that may differ when a task is cloned. */
    private static final List<String> CLONE_CHANGEABLE =
            List.of("name", "memory_gb", "params", "timeout_seconds", "env");

    private static final List<String> KNOWN =
            Stream.concat(
                            CHANGEABLE.stream(),
                            Stream.of("draft", "owner", "lane", ShellRequest.FIELD))
                    .toList();

    /** Fields that the ledger plans for later. Until then they are rejected, never ignored. */
    private static final List<String> PLANNED =
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

    private final WorkingDirectories workDirs;
    private final ModelWorkRequest work;
    private final Supplier<CommandPolicy> commands;
    private final OwnerAccounts accounts;
    private final BatchRequest batch;

    /**
     * @param commands which commands may be submitted now
     * @param hasCluster a Slurm cluster runs the tasks
     */
    public TaskRequest(
            WorkingDirectories workDirs,
            TimeLimits limits,
            Supplier<CommandPolicy> commands,
            OwnerAccounts accounts,
            boolean hasCluster) {
        this.batch = new BatchRequest(hasCluster);
        this.commands = commands;
        this.workDirs = workDirs;
        this.accounts = accounts;
        this.work = new ModelWorkRequest(limits);
    }

    public TimeLimits limits() {
        return work.limits();
    }

    public EngineCommand.NewTask read(JsonFields fields, Caller caller) throws RejectedException {
        return read(batch.single(fields), caller, newLookups());
    }

    /** The tasks of all items in their order. A rejection names the invalid item by its index. */
    List<EngineCommand.NewTask> readAll(List<JsonFields> all, Caller caller)
            throws RejectedException {
        var look = newLookups();
        var entries = new ArrayList<EngineCommand.NewTask>();
        for (int item = 0; item < all.size(); item++) {
            try {
                for (var fields : batch.all(all.get(item))) {
                    entries.add(read(fields, caller, look));
                }
            } catch (RejectedException refused) {
                throw refused.inside("[" + item + "]");
            }
        }
        return entries;
    }

    /** What is looked up once for a whole batch of tasks. */
    private record Lookups(
            WorkingDirectories.CachedLookup directories, OwnerAccounts.CachedLookup accounts) {}

    private Lookups newLookups() {
        return new Lookups(workDirs.newLookup(), accounts.newLookup());
    }

    private EngineCommand.NewTask read(JsonFields fields, Caller caller, Lookups look)
            throws RejectedException {
        fields.requireKnown(KNOWN, PLANNED);
        var owner = owner(fields, caller).orElse(caller.owner());
        var account = look.accounts().of(owner);
        var shell = ShellRequest.read(fields, accounts);
        var spec =
                running(
                        spec(fields, owner, look),
                        account.map(one -> OwnerAccounts.runAs(one, shell)));
        requirePriority(spec, caller);
        requireAllowed(spec);
        return new EngineCommand.NewTask(owner, spec, fields.flag("draft"));
    }

    /** The task's specification after the change, validated as a whole. */
    TaskSpec change(JsonFields change, Task task) throws RejectedException {
        var below = UnchangedFields.fieldsNotIn(change, task.spec(), work.limits());
        var changed =
                running(
                        spec(change.onTopOf(below), task.owner(), newLookups()),
                        task.spec().script().text().runAs());
        if (!change.isAbsent("command")) {
            batch.check(change);
            requireAllowed(changed);
        }
        return task.spec()
                .options()
                .lane()
                .map(lane -> changed.with(lane, changed.options().maxRetries()))
                .orElse(changed)
                .with(task.spec().source());
    }

    /**
     * The specification of a clone with these changes.
     *
     * @param owner of the clone
     */
    TaskSpec specOfClone(JsonFields changes, Task task, Owner owner) throws RejectedException {
        requireAllowed(task.spec());
        var original = task.spec().script().text();
        var runAs = OwnerAccounts.ofCopy(accounts.newLookup().of(owner), original.runAs());
        if (changes.isEmpty()) {
            return running(task.spec(), runAs);
        }
        var changed = change(changes, task);
        var environment = new TreeMap<>(original.environment());
        environment.putAll(changed.script().text().environment());
        var script = changed.script().text().withEnvironment(environment);
        return running(changed.with(script), runAs);
    }

    private static TaskSpec running(TaskSpec spec, Optional<RunAs> runAs) {
        return runAs.isEmpty() ? spec : spec.with(spec.script().text().withRunAs(runAs.get()));
    }

    /** The parameters of a task for a worker are no command. */
    private void requireAllowed(TaskSpec spec) throws RejectedException {
        if (spec.calledModel().isPresent()) {
            return;
        }
        var refusal = commands.get().refusal(spec.script().text().command());
        if (refusal.isPresent()) {
            throw new RejectedException(refusal.get());
        }
    }

    /** The highest priority goes before every other task, so it is the admins' to give. */
    static void requirePriority(TaskSpec spec, Caller caller) throws RejectedException {
        if (spec.options().priority() == Priority.CRITICAL && !caller.isAdmin()) {
            throw new RejectedException(
                    Rejected.forbidden("priority.admin").with("priority", Priority.CRITICAL));
        }
    }

    static void requireCloneable(JsonFields changes) throws RejectedException {
        changes.requireKnown(CLONE_CHANGEABLE, PLANNED);
    }

    static void requireChangeable(JsonFields change) throws RejectedException {
        change.requireKnown(CHANGEABLE, PLANNED);
        if (change.isEmpty()) {
            throw RejectedException.invalid("change.empty", "");
        }
    }

    private TaskSpec spec(JsonFields fields, Owner owner, Lookups look) throws RejectedException {
        var name = name(fields);
        var need = NeedRequest.read(fields);
        var model = ModelWorkRequest.work(fields);
        boolean isCall = model.filter(ModelWork::isCall).isPresent();
        var command = isCall ? ModelWorkRequest.params(fields) : command(fields);
        var timeLimit = work.timeLimit(fields, model);
        var priority = priority(fields);
        var asked = fields.text("work_dir");
        // A worker has a directory of its own.
        var workDir = isCall && asked.isEmpty() ? "/" : workDir(asked, owner, look);
        var environment = environment(fields);
        var lane = lane(fields);
        var maxRetries = fields.wholeNumber("max_retries", 0, MAX_RETRIES);
        return new TaskSpec(
                name,
                TaskSource.API,
                new Script.Text(command, workDir, environment),
                new Requirements(need, model),
                new TaskOptions(priority, timeLimit, lane, maxRetries));
    }

    private static String workDir(Optional<String> asked, Owner owner, Lookups look)
            throws RejectedException {
        var account = look.accounts().of(owner);
        if (account.isEmpty()) {
            return look.directories().of(asked, owner);
        }
        return asked.isPresent()
                ? WorkingDirectories.unexamined(asked.get())
                : account.get().home().toString();
    }

    private static Optional<Lane> lane(JsonFields fields) throws RejectedException {
        var name = fields.text("lane");
        if (name.isPresent() && !LANE.matcher(name.get()).matches()) {
            throw RejectedException.invalid("lane.invalid", "lane");
        }
        return name.map(Lane.Named::new);
    }

    private static String name(JsonFields fields) throws RejectedException {
        var name = fields.requiredText("name").strip();
        if (name.isEmpty()) {
            throw RejectedException.invalid("name.empty", "name");
        }
        if (name.codePointCount(0, name.length()) > MAX_NAME_LENGTH) {
            throw new RejectedException(
                    Rejected.invalid("name.too_long", "name").with("max", MAX_NAME_LENGTH));
        }
        if (ControlCharacters.areIn(name)) {
            throw RejectedException.invalid("name.control", "name");
        }
        return name;
    }

    private static String command(JsonFields fields) throws RejectedException {
        if (!fields.isAbsent("params")) {
            throw RejectedException.invalid("params.with_command", "params");
        }
        var command = fields.requiredText("command");
        if (command.isBlank()) {
            throw RejectedException.invalid("command.empty", "command");
        }
        int bytes = command.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_COMMAND_BYTES) {
            throw new RejectedException(
                    Rejected.invalid("command.too_long", "command")
                            .with("bytes", bytes)
                            .with("max", MAX_COMMAND_BYTES));
        }
        return command;
    }

    private static Priority priority(JsonFields fields) throws RejectedException {
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
        throw new RejectedException(
                Rejected.invalid("priority.unknown", "priority").with("known", known));
    }

    /** The user for whom the task is submitted. */
    private static Optional<Owner> owner(JsonFields fields, Caller caller)
            throws RejectedException {
        var owner = fields.text("owner");
        if (owner.isEmpty()) {
            return Optional.empty();
        }
        var name = owner.get();
        if (name.isBlank()
                || name.length() > MAX_OWNER_LENGTH
                || ControlCharacters.areIn(name)
                || !name.equals(name.strip())) {
            throw RejectedException.invalid("owner.invalid", "owner");
        }
        var named = Owner.unix(name);
        if (!caller.isAdmin() && !named.equals(caller.owner())) {
            throw new RejectedException(Rejected.forbidden("owner.not_you"));
        }
        return Optional.of(named);
    }

    public static SortedMap<String, String> environment(JsonFields fields)
            throws RejectedException {
        var environment = fields.textMap("env");
        long bytes = 0;
        for (var entry : environment.entrySet()) {
            var name = entry.getKey();
            var refusal = EnvironmentName.problem(name);
            if (refusal.isPresent()) {
                throw refused(name, refusal.get());
            }
            bytes += name.length() + entry.getValue().getBytes(StandardCharsets.UTF_8).length + 2;
        }
        if (bytes > MAX_ENV_BYTES) {
            throw new RejectedException(
                    Rejected.invalid("env.too_large", "env")
                            .with("max", MAX_ENV_BYTES)
                            .with("bytes", bytes));
        }
        return environment;
    }

    /** A name that the launch would refuse is rejected now, while the user can read it. */
    private static RejectedException refused(String name, EnvironmentName.NameProblem why) {
        return switch (why) {
            case INVALID_NAME -> RejectedException.invalid("env.name", "env");
            case SET_BY_BERTH, SET_BY_BASH ->
                    new RejectedException(
                            Rejected.invalid("env.reserved", "env." + name).with("name", name));
        };
    }
}
