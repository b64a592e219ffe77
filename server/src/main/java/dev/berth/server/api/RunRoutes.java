package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.lane.CommandFile;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.Mode;
import dev.berth.core.lane.Problem;
import dev.berth.core.task.Priority;
import dev.berth.engine.Command;
import dev.berth.engine.Reply;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Caller;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.server.lane.Lanes;
import dev.berth.server.lane.RunBook;
import dev.berth.server.lane.Runs;
import dev.berth.wire.CommandRefused;
import dev.berth.wire.RunCreate;
import dev.berth.wire.RunState;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Command files: started, stopped, shown while they run. */
final class RunRoutes {

    private static final Param<Long> PID =
            Param.number("pid", "the run's number; no process id", 1, Long.MAX_VALUE);
    private static final Param<String> PRIORITY =
            Param.word(
                    "priority",
                    "of all its tasks; NORMAL unless stated",
                    Arrays.stream(Priority.values()).map(Priority::name).toList());
    private static final Param<Boolean> KEEP_RUNNING =
            Param.flag("keep_running", "what runs goes on to its end; nothing more starts");

    private static final Doc START_DOC =
            Doc.of(
                            "Runs a command file of the home, or the content that is sent along;"
                                    + " problems are the blocks that are left out")
                    .asking(CommandRoutes.CONFIG_INDEX, PRIORITY)
                    .taking(RunCreate.class)
                    .giving(200, RunState.class)
                    .giving(400, CommandRefused.class)
                    .refusing(404, 409, 413, 422, 429, 503, 507);

    private static final Doc STOP_CONFIG_DOC =
            Doc.of("Stops the run of a command file and ends its commands")
                    .asking(CommandRoutes.CONFIG_INDEX, KEEP_RUNNING)
                    .giving(200, RunState.class)
                    .refusing(400, 403, 409, 422, 503, 507);

    private static final Doc STOP_DOC =
            Doc.of("Stops a run by its number and ends its commands")
                    .asking(KEEP_RUNNING)
                    .giving(200, RunState.class)
                    .refusing(400, 403, 404, 409, 422, 503, 507);

    private static final Doc STATE_DOC =
            Doc.of("A mode's runs that go on, and the last of each file that is over")
                    .givingMany(200, RunState.class)
                    .refusing(422, 503);

    private static final Doc RUNNING_DOC =
            Doc.of("All runs that go on, however they were started")
                    .givingMany(200, RunState.class)
                    .refusing(503);

    private static final Doc RUN_DOC =
            Doc.of("One run by its number, whether it goes on or is over")
                    .giving(200, RunState.class)
                    .refusing(404, 422, 503);

    private final Desk desk;
    private final Lanes lanes;
    private final Runs runs;
    private final RunWords words;
    private final RunBook book;

    RunRoutes(Desk desk, RunBook book) {
        this.desk = desk;
        this.lanes = desk.lanes();
        this.runs = new Runs(desk.engine(), desk.queries());
        this.words = new RunWords(desk);
        this.book = book;
    }

    List<Route> routes() {
        var mode = CommandRoutes.MODE;
        return List.of(
                Route.post(
                        PathPattern.of("/api/scheduler/{mode}/start", mode),
                        Access.SERVED,
                        START_DOC,
                        this::start),
                Route.post(
                        PathPattern.of("/api/scheduler/{mode}/stop", mode),
                        Access.SERVED,
                        STOP_CONFIG_DOC,
                        this::stopConfig),
                Route.post(
                        PathPattern.of("/api/scheduler/stop/{pid}", PID),
                        Access.SERVED,
                        STOP_DOC,
                        this::stop),
                Route.get(
                        PathPattern.of("/api/scheduler/{mode}/state", mode),
                        Access.SERVED,
                        STATE_DOC,
                        call -> Answer.ok(states(runs.shown(CommandRoutes.mode(call))))),
                Route.get(
                        PathPattern.of("/api/scheduler/running"),
                        Access.SERVED,
                        RUNNING_DOC,
                        _ -> Answer.ok(states(runs.live()))),
                Route.get(
                        PathPattern.of("/api/scheduler/run/{pid}", PID),
                        Access.SERVED,
                        RUN_DOC,
                        this::show));
    }

    private List<RunState> states(List<LaneRun> shown) throws StoreFailure {
        var states = new ArrayList<RunState>();
        for (var run : shown) {
            states.add(words.state(run));
        }
        return states;
    }

    private Answer show(Call call) throws Refused, StoreFailure {
        long pid = call.path(PID);
        var run = runs.find(pid);
        if (run.isEmpty()) {
            throw unknown(pid);
        }
        return Answer.ok(words.state(run.get()));
    }

    private static Refused unknown(long pid) {
        return new Refused(
                Rejected.unknown(
                                "run.unknown",
                                "There is no run "
                                        + pid
                                        + ". Runs have numbers of their own, which berth runs"
                                        + " shows; they are no process ids.")
                        .with("pid", pid));
    }

    private Answer start(Call call) throws Refused, StoreFailure {
        var mode = CommandRoutes.mode(call);
        var priority = call.query(PRIORITY).map(Priority::valueOf).orElse(Priority.NORMAL);
        int index = CommandRoutes.index(call);
        var fields = call.largeBody().fields();
        fields.expect(Set.of("content", "command_file"), Set.of());
        var source =
                fields.isEmpty()
                        ? RunSource.ofHome(mode, index, lanes)
                        : RunSource.sent(mode, fields, lanes);
        refuseSecond(mode, source);
        var file = CommandFile.parse(mode, source.text());
        if (file.blocks().isEmpty()) {
            throw nothing(
                    file.problems().isEmpty()
                            ? "It holds no task."
                            : "Line "
                                    + file.problems().getFirst().line()
                                    + ": "
                                    + file.problems().getFirst().detail(),
                    file.problems());
        }
        var ran = ran(call, file, form(source, mode, priority));
        var problems = RunWords.problems(file.problems(), ran.left());
        book.leftOut(ran.run().id(), problems);
        return Answer.ok(words.started(ran.run(), problems));
    }

    /** The engine knows files by their names; two names may be the same config in turn. */
    private void refuseSecond(Mode mode, RunSource source) throws Refused {
        if (source.config().isEmpty()) {
            return;
        }
        var pid = lanes.running().pid(mode, source.config().getAsInt());
        if (pid.isPresent()) {
            throw new Refused(
                    Rejected.conflict(
                                    "run.already",
                                    source.file()
                                            + " is being run already (run "
                                            + pid.getAsLong()
                                            + "). Stop it first, or wait until it has ended.")
                            .with("pid", pid.getAsLong()));
        }
    }

    private Command.RunForm form(RunSource source, Mode mode, Priority priority) throws Refused {
        var workDir = lanes.runs().workDir().get();
        if (!Files.isDirectory(workDir)) {
            throw new Refused(
                    Rejected.impossible(
                                    "run.work_dir",
                                    "work_dir",
                                    "The directory in which commands run is not there: "
                                            + workDir
                                            + " (work_dir). Make it, or name another.")
                            .with("work_dir", workDir));
        }
        return new Command.RunForm(
                mode,
                source.config(),
                source.file(),
                source.origin(),
                priority,
                workDir.toString());
    }

    private Reply.Ran ran(Call call, CommandFile file, Command.RunForm form) throws Refused {
        var request =
                new Command.StartRun(
                        desk.engine().now(), call.caller().owner(), form, file.blocks());
        return switch (desk.reply(request)) {
            case Reply.Ran ran -> ran;
            case Reply.Refused(var why) when why.code().equals("command.nothing") ->
                    throw nothing(why.detail(), file.problems());
            case Reply other -> throw Desk.refused(other);
        };
    }

    private static Refused nothing(String why, List<Problem> problems) {
        return new Refused(
                Answer.of(
                        400,
                        new CommandRefused(
                                why,
                                "command.nothing",
                                "content",
                                ReasonWords.params(),
                                CommandWords.problems(problems))));
    }

    private Answer stopConfig(Call call) throws Refused, StoreFailure {
        var mode = CommandRoutes.mode(call);
        int index = CommandRoutes.index(call);
        var pid = lanes.running().pid(mode, index);
        if (pid.isEmpty()) {
            throw new Refused(
                    Rejected.conflict(
                            "run.not_running",
                            "Config "
                                    + (index + 1)
                                    + " of the mode "
                                    + mode.word()
                                    + " is not being run."));
        }
        return stop(call, pid.getAsLong());
    }

    private Answer stop(Call call) throws Refused, StoreFailure {
        long pid = call.path(PID);
        if (!runs.wasEver(pid)) {
            throw unknown(pid);
        }
        return stop(call, pid);
    }

    private Answer stop(Call call, long pid) throws Refused, StoreFailure {
        call.body().fields().expect(Set.of(), Set.of());
        boolean keepsRunning = call.query(KEEP_RUNNING).orElse(false);
        var run = runs.live(pid);
        if (run.isPresent()) {
            require(call.caller(), run.get());
        }
        var stopped =
                desk.run(
                        new Command.StopRun(
                                desk.engine().now(), call.caller().owner(), pid, keepsRunning));
        return Answer.ok(words.state(stopped.run()));
    }

    /** Somebody else's run is not for everybody to stop. */
    static void require(Caller caller, LaneRun run) throws Refused {
        if (!caller.isAdmin() && !run.owner().equals(caller.owner())) {
            throw new Refused(
                    Rejected.forbidden(
                            "run.not_yours",
                            "Run "
                                    + run.id()
                                    + " is "
                                    + run.owner().name()
                                    + "'s. They or an admin may stop it."));
        }
    }
}
