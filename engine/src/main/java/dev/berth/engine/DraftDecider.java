package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.plan.WaitReason.Paused;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.event.TaskPayload;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides about tasks that have not started: queue a draft, start it, change a task. */
final class DraftDecider {

    private final Feasibility feasibility;
    private final Planner planner;
    private final TaskStarter granting;
    private final TaskLimits userLimits;

    DraftDecider(
            Planner planner, Feasibility feasibility, TaskStarter granting, TaskLimits userLimits) {
        this.userLimits = userLimits;
        this.feasibility = feasibility;
        this.planner = planner;
        this.granting = granting;
    }

    EngineReply decide(Decision decision, EngineCommand.Enqueue enqueue) {
        var found = find(decision, enqueue.task());
        if (found.isEmpty() || !(found.get().state() instanceof TaskState.Pending)) {
            return new EngineReply.Refused(notPending(enqueue.task(), found));
        }
        var task = found.get();
        var refusal =
                userLimits
                        .refusal(task.owner(), task.spec(), decision.state())
                        .or(() -> feasibility.refusal(task.spec(), task.owner(), decision.state()));
        if (refusal.isPresent()) {
            return new EngineReply.Refused(refusal.get());
        }
        decision.save(task.after(new TaskTransition.Enqueue(enqueue.at())));
        decision.addEvent(enqueue.actor(), task.id(), new TaskPayload.TaskQueued());
        return new EngineReply.TaskAccepted(task.id(), false);
    }

    /** A manual start is allowed while the scheduler is stopped, but not during any other pause. */
    EngineReply decide(Decision decision, EngineCommand.StartDraft start, Optional<Paused> pause) {
        var found = find(decision, start.task());
        if (found.isEmpty() || !(found.get().state() instanceof TaskState.Pending)) {
            return new EngineReply.Refused(notPending(start.task(), found));
        }
        var unless = pause.filter(one -> one.cause() != Paused.PauseCause.STOPPED);
        var now = granting.snapshot(decision.state(), unless, start.at());
        return switch (planner.planManualStart(now, found.get(), start.isForced())) {
            case Verdict.Wait wait -> {
                for (var reason : wait.reasons()) {
                    if (reason instanceof WaitReason.Unloading(var workers)) {
                        WorkerDecider.evict(decision, workers);
                    }
                }
                yield new EngineReply.Busy(wait.reasons());
            }
            case Verdict.Start granted -> {
                granting.start(
                        decision,
                        granted,
                        new TaskStarter.StartedBy(start.actor(), start.isForced()));
                yield new EngineReply.TaskAccepted(start.task(), false);
            }
        };
    }

    EngineReply decide(Decision decision, EngineCommand.ChangeTask revise) {
        var found = find(decision, revise.task());
        if (found.isEmpty() || found.get().state().liveAttempt().isPresent()) {
            return new EngineReply.Refused(notWaiting(revise.task(), found));
        }
        var task = found.get();
        if (!task.spec().equals(revise.before().stored())) {
            return new EngineReply.Refused(
                    Rejected.conflict("task.changed").with("task", task.id()));
        }
        if (task.spec().fileRunLane().isPresent()
                && !fits(task.spec().fileRunLane().get(), revise.after())) {
            return new EngineReply.Refused(Rejected.invalid("lane.need", "gpu_count"));
        }
        boolean isSameShape = Shape.of(revise.after()).equals(Shape.of(task.spec()));
        var after = userLimits.capped(task.owner(), revise.after(), decision.state());
        var refusal =
                userLimits
                        .refusal(task.owner(), task.spec(), after, decision.state())
                        .or(
                                () ->
                                        isSameShape
                                                ? Optional.empty()
                                                : feasibility.refusal(
                                                        after, task.owner(), decision.state()));
        if (refusal.isPresent()) {
            return new EngineReply.Refused(refusal.get());
        }
        decision.save(task.with(after));
        decision.addEvent(
                revise.actor(),
                task.id(),
                new TaskPayload.TaskChanged(changed(task.spec(), after)));
        return new EngineReply.TaskAccepted(task.id(), false);
    }

    /** Whether a task of a command file could have this specification. */
    private static boolean fits(Lane.OfFileRun lane, TaskSpec after) {
        return after.requirements().need()
                        instanceof Need.Gpus(var count, _, var devices, var memory)
                && devices.isEmpty()
                && memory.mib().isPresent()
                && !memory.isShared()
                && after.requirements().work().isEmpty()
                && (lane.isMulti() || count.equals(Need.GpuCount.of(1)));
    }

    /** Names the changed parts, never their values: scripts and environments may hold secrets. */
    private static List<String> changed(TaskSpec before, TaskSpec after) {
        var parts = new ArrayList<String>();
        addIfChanged(parts, "name", before.name(), after.name());
        addIfChanged(parts, "command", before.script().commandHash(), after.script().commandHash());
        addIfChanged(parts, "need", before.requirements().need(), after.requirements().need());
        addIfChanged(parts, "model", before.requirements().work(), after.requirements().work());
        addIfChanged(
                parts, "time limit", before.options().timeLimit(), after.options().timeLimit());
        addIfChanged(parts, "priority", before.options().priority(), after.options().priority());
        addIfChanged(parts, "directory", before.script().workDir(), after.script().workDir());
        addIfChanged(parts, "lane", before.options().lane(), after.options().lane());
        addIfChanged(parts, "retries", before.options().maxRetries(), after.options().maxRetries());
        addIfChanged(
                parts,
                "environment",
                before.script().environmentHash(),
                after.script().environmentHash());
        return parts;
    }

    private static void addIfChanged(List<String> parts, String name, Object before, Object after) {
        if (!before.equals(after)) {
            parts.add(name);
        }
    }

    private static Optional<Task> find(Decision decision, TaskId id) {
        return decision.state().tasks().get(id);
    }

    private static Rejected notPending(TaskId id, Optional<Task> found) {
        return Rejected.conflict("task.not_pending").with("task", id).with("status", status(found));
    }

    private static Rejected notWaiting(TaskId id, Optional<Task> found) {
        return Rejected.conflict("task.not_waiting").with("task", id).with("status", status(found));
    }

    private static String status(Optional<Task> found) {
        return found.map(task -> task.state().apiName()).orElse("finished");
    }
}
