package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.lane.Block;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.LaneRun.Stage;
import dev.berth.core.lane.Mode;
import dev.berth.core.lane.Problem;
import dev.berth.core.task.Lane;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Source;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Starts and stops command files, and notices when one has ended. */
final class RunningFiles {

    private static final int LONGEST_NAME = 80;

    private final Feasibility feasibility;
    private final Submitting submitting;

    RunningFiles(Feasibility feasibility, Submitting submitting) {
        this.feasibility = feasibility;
        this.submitting = submitting;
    }

    Reply decide(Draft draft, Command.StartRun start) {
        var form = start.form();
        var already =
                draft.state()
                        .books()
                        .runs()
                        .values()
                        .filter(run -> run.mode() == form.mode() && run.file().equals(form.file()))
                        .findFirst();
        if (already.isPresent()) {
            return new Reply.Refused(alreadyRunning(already.get()));
        }
        var full = submitting.full(start.actor(), start.blocks().size(), draft.state());
        if (full.isPresent()) {
            return new Reply.Refused(full.get());
        }
        long number = draft.state().marks().run() + 1;
        var tasks = new ArrayList<TaskSpec>();
        var left = new ArrayList<Problem>();
        var places = new TreeMap<Integer, Integer>();
        for (var block : start.blocks()) {
            int index = places.merge(block.queue(), 1, Integer::sum) - 1;
            boolean isMulti = form.mode() == Mode.MULTI;
            var spec = spec(form, block, new Lane.OfRun(number, block.queue(), index, isMulti));
            feasibility
                    .refusal(spec, draft.state())
                    .ifPresentOrElse(
                            why -> left.add(new Problem(block.line(), why.code(), why.detail())),
                            () -> tasks.add(spec));
        }
        return tasks.isEmpty()
                ? new Reply.Refused(nothing(left))
                : new Reply.Ran(started(draft, start, number, tasks), left);
    }

    private static LaneRun started(
            Draft draft, Command.StartRun start, long number, List<TaskSpec> tasks) {
        var form = start.form();
        var first = new TaskId(draft.state().marks().task() + 1);
        var run =
                new LaneRun(
                        number,
                        form.mode(),
                        form.config(),
                        form.file(),
                        form.origin(),
                        start.actor(),
                        start.at(),
                        first,
                        tasks.size(),
                        new Stage.Live());
        draft.save(new Change.RunSaved(run));
        var data = data(run);
        data.put("tasks", Integer.toString(tasks.size()));
        draft.happened(Event.Kind.RUN_STARTED, start.actor(), data);
        for (var spec : tasks) {
            Submitting.take(draft, start.actor(), new Command.Entry(start.actor(), spec, false));
        }
        return run;
    }

    private static TaskSpec spec(Command.RunForm form, Block block, Lane lane) {
        var need =
                new Need.Cards(block.count(), Optional.empty(), Need.Memory.of(block.memoryMib()));
        return new TaskSpec(
                name(block.commands().getLast()),
                String.join("\n", block.commands()),
                need,
                Optional.empty(),
                Optional.empty(),
                form.priority(),
                Source.FILE,
                form.workDir(),
                new TreeMap<>(),
                Optional.of(lane),
                OptionalInt.empty());
    }

    /** Its last command is mostly what a block is about. */
    private static String name(String command) {
        int end = Math.min(command.length(), LONGEST_NAME);
        boolean splitsPair = end > 0 && Character.isHighSurrogate(command.charAt(end - 1));
        return command.substring(0, splitsPair ? end - 1 : end);
    }

    private static TreeMap<String, String> data(LaneRun run) {
        var data = new TreeMap<String, String>();
        data.put("run", Long.toString(run.id()));
        data.put("mode", run.mode().word());
        data.put("file", run.file());
        return data;
    }

    private static Rejected alreadyRunning(LaneRun run) {
        return Rejected.conflict(
                        "run.already",
                        run.file()
                                + " is being run already (run "
                                + run.id()
                                + "). Stop it first, or wait until it has ended.")
                .with("pid", run.id());
    }

    private static Rejected nothing(List<Problem> left) {
        var first = left.isEmpty() ? "it holds no task" : left.getFirst().detail();
        return Rejected.impossible(
                "command.nothing", "content", "Nothing of this file can run: " + first);
    }

    Reply decide(Draft draft, Command.StopRun stop) {
        var found = draft.state().books().runs().get(stop.run());
        if (found.isEmpty()) {
            return new Reply.Refused(
                    Rejected.conflict(
                            "run.not_running", "Run " + stop.run() + " is not running any more."));
        }
        var run = found.get();
        draft.save(new Change.RunSaved(run.at(new Stage.Stopping(stop.at()))));
        draft.happened(Event.Kind.RUN_STOPPING, stop.actor(), data(run));
        for (var task : tasks(draft.state(), run)) {
            if (task.state() instanceof TaskState.Queued || !stop.keepsRunning()) {
                Cancelling.decide(draft, new Command.Cancel(stop.at(), stop.actor(), task.id()));
            }
        }
        var now = draft.state().books().runs().get(run.id());
        if (stop.keepsRunning() && now.isPresent()) {
            end(draft, now.get());
        }
        return new Reply.Ran(
                draft.state()
                        .books()
                        .runs()
                        .get(run.id())
                        .orElse(run.at(new Stage.Stopped(stop.at()))),
                List.of());
    }

    /** Those of it that have not ended. */
    private static List<Task> tasks(State state, LaneRun run) {
        var tasks = new ArrayList<Task>();
        for (long id = run.first().value(); id < run.end().value(); id++) {
            state.tasks().get(new TaskId(id)).ifPresent(tasks::add);
        }
        return tasks;
    }

    /** The last of its tasks to end ends a run. */
    static void settle(Draft draft, Task task) {
        task.spec()
                .ofRun()
                .flatMap(lane -> draft.state().books().runs().get(lane.run()))
                .filter(run -> run.left(draft.state().tasks()) == 0)
                .ifPresent(run -> end(draft, run));
    }

    private static void end(Draft draft, LaneRun run) {
        boolean wasStopped = run.stage() instanceof Stage.Stopping;
        var stage = wasStopped ? new Stage.Stopped(draft.at()) : new Stage.Finished(draft.at());
        draft.save(new Change.RunSaved(run.at(stage)));
        draft.happened(
                Event.Kind.RUN_ENDED,
                Owner.BERTH,
                Map.of("run", Long.toString(run.id()), "how", stage.word()));
        var watch = draft.state().watch();
        var grants = watch.grants().without(run.id());
        draft.become(draft.state().with(watch.withGrants(grants)));
    }

    /** Whether a task of it that failed may be tried again. */
    static boolean goesOn(State state, Task task) {
        return task.spec()
                .ofRun()
                .map(
                        lane ->
                                state.books()
                                        .runs()
                                        .get(lane.run())
                                        .filter(run -> run.stage() instanceof Stage.Live)
                                        .isPresent())
                .orElse(true);
    }
}
