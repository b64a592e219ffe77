package dev.berth.server.api.run;

import dev.berth.core.Rejected;
import dev.berth.core.commandfile.Block;
import dev.berth.core.commandfile.BlockProblem;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.commandfile.FileRun.Origin;
import dev.berth.core.task.Priority;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.JsonFields;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.http.Sentences;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.Accounts.Account;
import dev.berth.runs.CommandFiles;
import dev.berth.runs.FileRuns;
import dev.berth.runs.RunResources;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.FileFailure;
import dev.berth.server.api.command.CommandFileJson;
import dev.berth.server.api.command.CommandFileRoutes;
import dev.berth.server.api.command.CommandFileSets;
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.server.api.task.OwnerAccounts;
import dev.berth.server.api.task.ShellRequest;
import dev.berth.server.api.task.WorkingDirectories;
import dev.berth.wire.CommandRefused;
import dev.berth.wire.RunCreate;
import dev.berth.wire.RunState;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Starts, stops and shows file runs. */
public final class FileRunRoutes {

    private static final Param<Long> PID =
            Param.number("pid", "the number of the run, not a process id", 1, Long.MAX_VALUE);
    private static final Param<String> PRIORITY =
            Param.choice(
                    "priority",
                    "of all its tasks; NORMAL if unset",
                    Arrays.stream(Priority.values()).map(Priority::name).toList());
    private static final Param<Boolean> KEEP_RUNNING =
            Param.flag(
                    "keep_running", "running tasks continue to their end; no further task starts");

    private static final Param<String> ORIGIN =
            Param.choice(
                    "origin",
                    "where a file of the home is started; decides the name of the log",
                    Arrays.stream(Origin.values())
                            .map(one -> one.name().toLowerCase(Locale.ROOT))
                            .toList());

    private static final RouteDoc START_DOC =
            RouteDoc.of("Runs a command file of the home, or the given content")
                    .withQuery(CommandFileRoutes.CONFIG_INDEX, PRIORITY, ORIGIN)
                    .withBody(RunCreate.class)
                    .withResponse(200, RunState.class)
                    .withResponse(400, CommandRefused.class)
                    .withErrors(403, 404, 409, 413, 422, 429, 503, 507);

    private static final RouteDoc STOP_CONFIG_DOC =
            RouteDoc.of("Stops the run of a command file and ends its commands")
                    .withQuery(CommandFileRoutes.CONFIG_INDEX, KEEP_RUNNING)
                    .withResponse(200, RunState.class)
                    .withErrors(400, 403, 409, 422, 503, 507);

    private static final RouteDoc STOP_DOC =
            RouteDoc.of("Stops a run by its number and ends its commands")
                    .withQuery(KEEP_RUNNING)
                    .withResponse(200, RunState.class)
                    .withErrors(400, 403, 404, 409, 422, 503, 507);

    private static final RouteDoc STATE_DOC =
            RouteDoc.of("The active runs of a mode, and the last ended run of each file")
                    .withListResponse(200, RunState.class)
                    .withErrors(422, 503);

    private static final RouteDoc RUNNING_DOC =
            RouteDoc.of("All active runs, however they were started")
                    .withListResponse(200, RunState.class)
                    .withErrors(503);

    private static final RouteDoc RUN_DOC =
            RouteDoc.of("One run by its number, active or ended")
                    .withResponse(200, RunState.class)
                    .withErrors(403, 404, 422, 503);
    private final EngineClient engine;
    private final RunResources lanes;
    private final CommandFileSets sets;
    private final FileRuns runs;
    private final FileRunJson words;
    private final OwnerAccounts accounts;

    public FileRunRoutes(
            EngineClient engine,
            CommandFileSets sets,
            FileRuns runs,
            FileRunJson words,
            OwnerAccounts accounts) {
        this.engine = engine;
        this.accounts = accounts;
        this.lanes = sets.common();
        this.sets = sets;
        this.runs = runs;
        this.words = words;
    }

    public List<Route> routes() {
        var mode = CommandFileRoutes.MODE;
        return List.of(
                Route.post(
                        PathPattern.of("/api/scheduler/{mode}/start", mode),
                        AccessLevel.USER,
                        START_DOC,
                        this::start),
                Route.post(
                        PathPattern.of("/api/scheduler/{mode}/stop", mode),
                        AccessLevel.USER,
                        STOP_CONFIG_DOC,
                        this::stopConfig),
                Route.post(
                        PathPattern.of("/api/scheduler/stop/{pid}", PID),
                        AccessLevel.USER,
                        STOP_DOC,
                        this::stop),
                Route.get(
                        PathPattern.of("/api/scheduler/{mode}/state", mode),
                        AccessLevel.SERVED,
                        STATE_DOC,
                        call ->
                                RouteResponse.ok(
                                        states(
                                                runs.shown(
                                                        CommandFileRoutes.mode(call),
                                                        run -> sees(call.caller(), run))))),
                Route.get(
                        PathPattern.of("/api/scheduler/running"),
                        AccessLevel.SERVED,
                        RUNNING_DOC,
                        call -> RouteResponse.ok(states(live(call.caller())))),
                Route.get(
                        PathPattern.of("/api/scheduler/run/{pid}", PID),
                        AccessLevel.SERVED,
                        RUN_DOC,
                        this::show));
    }

    private List<FileRun> live(Caller caller) {
        return runs.live().stream().filter(run -> sees(caller, run)).toList();
    }

    /** A run shows commands, so only its owner and admins see it. */
    private static boolean sees(Caller caller, FileRun run) {
        return caller.isAdmin() || caller.owns(run.owner());
    }

    private List<RunState> states(List<FileRun> shown) throws StoreFailure {
        var states = new ArrayList<RunState>();
        for (var run : shown) {
            states.add(words.state(run));
        }
        return states;
    }

    private RouteResponse show(RouteRequest call) throws RejectedException, StoreFailure {
        long pid = call.path(PID);
        var run = runs.find(pid);
        if (run.isEmpty()) {
            throw unknown(pid);
        }
        requireOwnerOrAdmin(call.caller(), run.get());
        return RouteResponse.ok(words.state(run.get()));
    }

    private static RejectedException unknown(long pid) {
        return new RejectedException(Rejected.notFound("run.unknown").with("pid", pid));
    }

    private RouteResponse start(RouteRequest call) throws RejectedException, StoreFailure {
        var mode = CommandFileRoutes.mode(call);
        var priority = call.query(PRIORITY).map(Priority::valueOf).orElse(Priority.NORMAL);
        if (priority == Priority.CRITICAL && !call.caller().isAdmin()) {
            throw new RejectedException(
                    Rejected.forbidden("priority.admin").with("priority", priority));
        }
        int index = CommandFileRoutes.index(call);
        var fields = call.largeBody().fields();
        fields.requireKnown(
                Set.of("content", "command_file", "work_dir", ShellRequest.FIELD), Set.of());
        var account = accounts.newLookup().of(call.caller().owner());
        var shell = ShellRequest.read(fields, accounts);
        // Only their owner starts files of a set, and the starter owns the tasks.
        var own = sets.of(call.caller());
        var source =
                isOfHome(fields)
                        ? FileRunSource.ofHome(mode, index, origin(call), own)
                        : FileRunSource.sent(mode, fields, own);
        rejectSecondRun(mode, source, own);
        var file = allowed(CommandFile.parse(mode, source.text()));
        if (file.blocks().isEmpty()) {
            throw nothingToRun(file.problems().stream().findFirst(), file.problems());
        }
        var options =
                new EngineCommand.FileRunOptions(
                        mode,
                        source.config(),
                        source.file(),
                        source.origin(),
                        priority,
                        workDir(source, fields.text("work_dir"), account),
                        account.map(one -> OwnerAccounts.runAs(one, shell)));
        var started = startRun(call, file, options);
        return RouteResponse.ok(words.state(started.run()));
    }

    private static boolean isOfHome(JsonFields fields) {
        return !fields.has("content") && !fields.has("command_file") && !fields.has("work_dir");
    }

    /** Blocks with a forbidden command are problems like invalid ones. */
    private CommandFile allowed(CommandFile file) {
        var policy = lanes.settings().commands().get();
        var blocks = new ArrayList<Block>();
        var forbidden = new ArrayList<BlockProblem>();
        for (var block : file.blocks()) {
            policy.refusal(String.join("\n", block.commands()))
                    .ifPresentOrElse(
                            why ->
                                    forbidden.add(
                                            new BlockProblem(
                                                    block.line(), why.code(), why.params())),
                            () -> blocks.add(block));
        }
        return forbidden.isEmpty()
                ? file
                : new CommandFile(file.mode(), blocks, file.problemsWith(forbidden));
    }

    /** The engine identifies files by name; two names may refer to the same config. */
    private static void rejectSecondRun(FileMode mode, FileRunSource source, RunResources own)
            throws RejectedException {
        if (source.config().isEmpty()) {
            return;
        }
        var pid = own.activeFiles().runId(mode, source.config().getAsInt());
        if (pid.isPresent()) {
            throw new RejectedException(
                    Rejected.conflict("run.already")
                            .with("file", source.file())
                            .with("pid", pid.getAsLong()));
        }
    }

    private static Origin origin(RouteRequest call) throws RejectedException {
        return call.query(ORIGIN)
                .map(name -> Origin.valueOf(name.toUpperCase(Locale.ROOT)))
                .orElse(Origin.CONSOLE);
    }

    /** A file of the home runs in the same directory from wherever it is started. */
    private String workDir(
            FileRunSource source, Optional<String> ofCaller, Optional<Account> account)
            throws RejectedException {
        boolean isSet = lanes.settings().isWorkDirSet().getAsBoolean();
        boolean isOfCaller = ofCaller.isPresent() && source.config().isEmpty() && !isSet;
        if (account.isPresent() && !isSet) {
            return isOfCaller
                    ? WorkingDirectories.unexamined(ofCaller.get())
                    : account.get().home().toString();
        }
        if (isOfCaller) {
            return WorkingDirectories.checked(ofCaller.get(), lanes.paths());
        }
        var workDir = lanes.settings().workDir().get();
        if (!isDirectory(workDir)) {
            throw new RejectedException(
                    Rejected.impossible("run.work_dir", "work_dir").with("work_dir", workDir));
        }
        return workDir.toString();
    }

    private boolean isDirectory(Path path) throws RejectedException {
        try {
            return lanes.paths().access(path, () -> Files.isDirectory(path));
        } catch (IOException e) {
            throw FileFailure.rejection(path.toString(), e);
        }
    }

    private EngineReply.FileRunChanged startRun(
            RouteRequest call, CommandFile file, EngineCommand.FileRunOptions runForm)
            throws RejectedException {
        var request =
                new EngineCommand.StartFileRun(engine.now(), call.caller().owner(), runForm, file);
        return switch (engine.request(request, call.caller().via())) {
            case EngineReply.FileRunChanged ran -> ran;
            case EngineReply.Refused(var why) when why.code().equals("command.nothing") ->
                    throw nothingToRun(firstBlock(why), file.problems());
            case EngineReply other -> throw EngineClient.rejection(other);
        };
    }

    /** The block that the engine names. */
    private static Optional<BlockProblem> firstBlock(Rejected why) {
        var params = new TreeMap<>(why.params());
        var line = params.remove("line");
        return line == null
                ? Optional.empty()
                : Optional.of(
                        new BlockProblem(
                                Integer.parseInt(line),
                                String.valueOf(params.remove("problem")),
                                params));
    }

    private static RejectedException nothingToRun(
            Optional<BlockProblem> first, List<BlockProblem> problems) {
        var values = new TreeMap<String, String>();
        first.ifPresentOrElse(
                block -> {
                    values.put("line", Integer.toString(block.line()));
                    values.put("block", Sentences.of(block));
                },
                () -> values.put("variant", "empty"));
        return new RejectedException(
                RouteResponse.of(
                        400,
                        new CommandRefused(
                                Sentences.problem("command.nothing", "content", values),
                                "command.nothing",
                                "content",
                                WaitReasonJson.params(),
                                CommandFileJson.problems(problems))));
    }

    private RouteResponse stopConfig(RouteRequest call) throws RejectedException, StoreFailure {
        var mode = CommandFileRoutes.mode(call);
        int index = CommandFileRoutes.index(call);
        var pid = sets.of(call.caller()).activeFiles().runId(mode, index);
        if (pid.isEmpty()) {
            throw new RejectedException(
                    Rejected.conflict("run.not_running")
                            .variant("file")
                            .with("file", CommandFiles.fileNameOf(mode, index)));
        }
        return stop(call, pid.getAsLong());
    }

    private RouteResponse stop(RouteRequest call) throws RejectedException, StoreFailure {
        long pid = call.path(PID);
        if (!runs.exists(pid)) {
            throw unknown(pid);
        }
        return stop(call, pid);
    }

    private RouteResponse stop(RouteRequest call, long pid) throws RejectedException, StoreFailure {
        call.body().fields().requireKnown(Set.of(), Set.of());
        boolean keepsRunning = call.query(KEEP_RUNNING).orElse(false);
        var run = runs.live(pid);
        if (run.isPresent()) {
            requireOwnerOrAdmin(call.caller(), run.get());
        }
        var stopped =
                engine.requestRun(
                        new EngineCommand.StopFileRun(
                                engine.now(), call.caller().owner(), pid, keepsRunning),
                        call.caller().via());
        return RouteResponse.ok(words.state(stopped.run()));
    }

    /** Only the owner and admins may see and stop a run. */
    static void requireOwnerOrAdmin(Caller caller, FileRun run) throws RejectedException {
        if (!sees(caller, run)) {
            throw new RejectedException(
                    Rejected.forbidden("run.not_yours")
                            .with("run", run.id())
                            .with("owner", run.owner().name()));
        }
    }
}
