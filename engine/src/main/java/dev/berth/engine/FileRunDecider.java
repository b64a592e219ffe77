package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.commandfile.Block;
import dev.berth.core.commandfile.BlockProblem;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.commandfile.FileRun.Stage;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Requirements;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Change;
import dev.berth.port.event.FileRunPayload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Starts, stops and ends file runs. */
final class FileRunDecider {

    private static final int MAX_NAME_LENGTH = 80;

    private final Feasibility feasibility;
    private final SubmitDecider submitting;

    FileRunDecider(Feasibility feasibility, SubmitDecider submitting) {
        this.feasibility = feasibility;
        this.submitting = submitting;
    }

    EngineReply decide(Decision decision, EngineCommand.StartFileRun start) {
        var form = start.options();
        var already =
                decision.state()
                        .durable()
                        .fileRuns()
                        .values()
                        .filter(run -> run.mode() == form.mode() && run.file().equals(form.file()))
                        // Each user of a machine may run a file of the same name.
                        .filter(run -> form.runAs().isEmpty() || run.owner().equals(start.actor()))
                        .findFirst();
        if (already.isPresent()) {
            return new EngineReply.Refused(alreadyRunning(already.get()));
        }
        long number = decision.state().lastIds().run() + 1;
        var tasks = new ArrayList<TaskSpec>();
        var left = new ArrayList<BlockProblem>();
        var places = new TreeMap<Integer, Integer>();
        for (var block : start.file().blocks()) {
            int index = places.merge(block.queue(), 1, Integer::sum) - 1;
            boolean isMulti = form.mode() == FileMode.MULTI;
            var lane = new Lane.OfFileRun(number, block.queue(), index, isMulti);
            var spec =
                    submitting
                            .userLimits()
                            .capped(start.actor(), spec(form, block, lane), decision.state());
            feasibility
                    .refusal(spec, start.actor(), decision.state())
                    .ifPresentOrElse(
                            why ->
                                    left.add(
                                            new BlockProblem(
                                                    block.line(), why.code(), why.params())),
                            () -> tasks.add(spec));
        }
        var refusal =
                submitting
                        .refusal(start.actor(), tasks, decision.state())
                        .or(() -> limitRefusal(start, tasks, decision.state()));
        if (refusal.isPresent()) {
            return new EngineReply.Refused(refusal.get());
        }
        return tasks.isEmpty()
                ? new EngineReply.Refused(nothingToRun(left))
                : new EngineReply.FileRunChanged(
                        start(decision, start, number, new Plan(tasks, left)));
    }

    /** All tasks of a run have the same priority and time limit. */
    private Optional<Rejected> limitRefusal(
            EngineCommand.StartFileRun start, List<TaskSpec> tasks, EngineState state) {
        return tasks.isEmpty()
                ? Optional.empty()
                : submitting.userLimits().refusal(start.actor(), tasks.getFirst(), state);
    }

    /**
     * The tasks of a run.
     *
     * @param infeasible valid blocks that could never start
     */
    private record Plan(List<TaskSpec> tasks, List<BlockProblem> infeasible) {}

    private static FileRun start(
            Decision decision, EngineCommand.StartFileRun start, long number, Plan plan) {
        var form = start.options();
        var tasks = plan.tasks();
        var first = new TaskId(decision.state().lastIds().task() + 1);
        var run =
                new FileRun(
                        number,
                        form.mode(),
                        form.fileIndex(),
                        form.file(),
                        form.origin(),
                        start.actor(),
                        start.at(),
                        first,
                        tasks.size(),
                        start.file().problemsWith(plan.infeasible()),
                        new Stage.Running());
        decision.save(new Change.FileRunSaved(run));
        decision.addEvent(
                start.actor(),
                run.owner(),
                new FileRunPayload.FileRunStarted(run.id(), run.mode(), run.file(), tasks.size()));
        for (var spec : tasks) {
            SubmitDecider.add(
                    decision, start.actor(), new EngineCommand.NewTask(start.actor(), spec, false));
        }
        return run;
    }

    private static TaskSpec spec(
            EngineCommand.FileRunOptions form, Block block, Lane.OfFileRun lane) {
        var need =
                new Need.Gpus(
                        block.gpuCount(), Optional.empty(), Need.GpuMemory.of(block.memoryMib()));
        return new TaskSpec(
                        form.runAs().isEmpty()
                                ? name(block.commands().getLast())
                                : name(form.file(), lane),
                        TaskSource.FILE,
                        new Script.Text(
                                String.join("\n", block.commands()),
                                form.workDir(),
                                Collections.emptySortedMap(),
                                form.runAs()),
                        Requirements.of(need),
                        TaskOptions.of(form.priority()))
                .with(lane, OptionalInt.empty());
    }

    /** The last command of a block is usually its main one. */
    private static String name(String command) {
        int end = Math.min(command.length(), MAX_NAME_LENGTH);
        boolean splitsPair = end > 0 && Character.isHighSurrogate(command.charAt(end - 1));
        return command.substring(0, splitsPair ? end - 1 : end);
    }

    /** Other users see the names of tasks, but not their commands. */
    private static String name(String file, Lane.OfFileRun lane) {
        var base = file.substring(file.lastIndexOf('/') + 1);
        return name(base) + " " + lane.queue() + "/" + (lane.index() + 1);
    }

    private static Rejected alreadyRunning(FileRun run) {
        return Rejected.conflict("run.already").with("file", run.file()).with("pid", run.id());
    }

    /** Names the first block that cannot run; its code and values are those of its own problem. */
    private static Rejected nothingToRun(List<BlockProblem> left) {
        var why = Rejected.impossible("command.nothing", "content");
        if (left.isEmpty()) {
            return why.variant("empty");
        }
        var first = left.getFirst();
        for (var param : first.params().entrySet()) {
            why = why.with(param.getKey(), param.getValue());
        }
        return why.with("line", first.line()).with("problem", first.code());
    }

    EngineReply decide(Decision decision, EngineCommand.StopFileRun stop) {
        var found = decision.state().durable().fileRuns().get(stop.run());
        if (found.isEmpty()) {
            return new EngineReply.Refused(
                    Rejected.conflict("run.not_running").with("run", stop.run()));
        }
        var run = found.get();
        decision.save(new Change.FileRunSaved(run.with(new Stage.Stopping(stop.at()))));
        decision.addEvent(
                stop.actor(),
                run.owner(),
                new FileRunPayload.FileRunStopping(run.id(), run.mode(), run.file()));
        for (var task : tasks(decision.state(), run)) {
            if (task.state() instanceof TaskState.Queued || !stop.letsTasksFinish()) {
                CancelDecider.decide(
                        decision, new EngineCommand.Cancel(stop.at(), stop.actor(), task.id()));
            }
        }
        var now = decision.state().durable().fileRuns().get(run.id());
        if (stop.letsTasksFinish() && now.isPresent()) {
            end(decision, now.get());
        }
        return new EngineReply.FileRunChanged(
                decision.state()
                        .durable()
                        .fileRuns()
                        .get(run.id())
                        .orElse(run.with(new Stage.Stopped(stop.at()))));
    }

    /** The tasks of the run that have not ended. */
    private static List<Task> tasks(EngineState state, FileRun run) {
        var tasks = new ArrayList<Task>();
        for (long id = run.firstTask().value(); id < run.endTask().value(); id++) {
            state.tasks().get(new TaskId(id)).ifPresent(tasks::add);
        }
        return tasks;
    }

    /** Ends the file run of this task if no other task of it is left. */
    static void endIfDone(Decision decision, Task task) {
        task.spec()
                .fileRunLane()
                .flatMap(lane -> decision.state().durable().fileRuns().get(lane.run()))
                .filter(run -> run.unfinishedTasks(decision.state().tasks()) == 0)
                .ifPresent(run -> end(decision, run));
    }

    /** A recovery of lost state can end the last task of a run while no server runs. */
    static void endFinished(Decision decision) {
        decision.state()
                .durable()
                .fileRuns()
                .values()
                .filter(run -> run.unfinishedTasks(decision.state().tasks()) == 0)
                .toList()
                .forEach(run -> end(decision, run));
    }

    private static void end(Decision decision, FileRun run) {
        boolean wasStopped = run.stage() instanceof Stage.Stopping;
        var stage =
                wasStopped ? new Stage.Stopped(decision.at()) : new Stage.Finished(decision.at());
        decision.save(new Change.FileRunSaved(run.with(stage)));
        decision.addEvent(
                Owner.BERTH, run.owner(), new FileRunPayload.FileRunEnded(run.id(), wasStopped));
        var watch = decision.state().sinceStart();
        var grants = watch.lastStarts().without(run.id());
        decision.setState(decision.state().with(watch.withLastStarts(grants)));
    }

    /** False if the task belongs to a file run that is being stopped. */
    static boolean mayRetry(EngineState state, Task task) {
        return task.spec()
                .fileRunLane()
                .map(
                        lane ->
                                state.durable()
                                        .fileRuns()
                                        .get(lane.run())
                                        .filter(run -> run.stage() instanceof Stage.Running)
                                        .isPresent())
                .orElse(true);
    }
}
