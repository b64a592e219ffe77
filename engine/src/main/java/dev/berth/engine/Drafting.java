package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason.Paused;
import dev.berth.core.task.Lane;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskMove;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.port.Event;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What can be done with a task before it starts: queue a draft, start one, ask otherwise. */
final class Drafting {

    private final Feasibility feasibility;
    private final Planner planner;
    private final Granting granting;

    Drafting(Planner planner, Granting granting) {
        this.feasibility = new Feasibility(planner);
        this.planner = planner;
        this.granting = granting;
    }

    Reply decide(Draft draft, Command.Enqueue enqueue) {
        var found = find(draft, enqueue.task());
        if (found.isEmpty() || !(found.get().state() instanceof TaskState.Pending)) {
            return new Reply.Refused(notPending(enqueue.task(), found));
        }
        var task = found.get();
        var refusal = feasibility.refusal(task.spec(), draft.state());
        if (refusal.isPresent()) {
            return new Reply.Refused(refusal.get());
        }
        draft.save(task.after(new TaskMove.Enqueue(enqueue.at())));
        draft.happened(Event.Kind.TASK_QUEUED, enqueue.actor(), task.id(), Map.of());
        return new Reply.Granted(task.id(), false);
    }

    /**
     * A person's word is enough while the scheduler is stopped, but not against what else keeps
     * tasks from starting.
     */
    Reply decide(Draft draft, Command.Start start, Optional<Paused> pause) {
        var found = find(draft, start.task());
        if (found.isEmpty() || !(found.get().state() instanceof TaskState.Pending)) {
            return new Reply.Refused(notPending(start.task(), found));
        }
        var unless = pause.filter(one -> one.cause() != Paused.Cause.STOPPED);
        var now = granting.snapshot(draft.state(), unless, start.at());
        return switch (planner.byHand(now, found.get(), start.isForced())) {
            case Verdict.Wait wait -> new Reply.Busy(wait.reasons());
            case Verdict.Start granted -> {
                granting.grant(draft, granted, new Granting.Word(start.actor(), start.isForced()));
                yield new Reply.Granted(start.task(), false);
            }
        };
    }

    Reply decide(Draft draft, Command.Revise revise) {
        var found = find(draft, revise.task());
        if (found.isEmpty() || found.get().state() instanceof TaskState.Running) {
            return new Reply.Refused(notWaiting(revise.task(), found));
        }
        var task = found.get();
        if (!task.spec().equals(revise.before())) {
            return new Reply.Refused(
                    Rejected.conflict(
                            "task.changed",
                            "Task "
                                    + task.id()
                                    + " was changed by somebody else meanwhile; look at it and try"
                                    + " again."));
        }
        if (task.spec().ofRun().isPresent() && !fits(task.spec().ofRun().get(), revise.after())) {
            return new Reply.Refused(
                    Rejected.invalid(
                            "lane.need",
                            "gpu_count",
                            "A command file's task asks for memory and for cards that Berth chooses"
                                    + " and that it does not share; one of a single file for"
                                    + " 1 card."));
        }
        boolean isSameShape = Shape.of(revise.after()).equals(Shape.of(task.spec()));
        var refusal =
                isSameShape
                        ? Optional.<Rejected>empty()
                        : feasibility.refusal(revise.after(), draft.state());
        if (refusal.isPresent()) {
            return new Reply.Refused(refusal.get());
        }
        draft.save(task.with(revise.after()));
        draft.happened(
                Event.Kind.TASK_CHANGED,
                revise.actor(),
                task.id(),
                Map.of("changed", changed(task.spec(), revise.after())));
        return new Reply.Granted(task.id(), false);
    }

    /** What a command file can ask for, its task can be made to ask for. */
    private static boolean fits(Lane.OfRun lane, TaskSpec after) {
        return after.need() instanceof Need.Cards(var count, _, var devices, var memory)
                && devices.isEmpty()
                && memory.mib().isPresent()
                && !memory.isShared()
                && after.work().isEmpty()
                && (lane.isMulti() || count.equals(Need.Count.of(1)));
    }

    /** Which parts, never what they are: scripts and environments are the owner's secrets. */
    private static String changed(TaskSpec before, TaskSpec after) {
        var parts = new ArrayList<String>();
        note(parts, "name", before.name(), after.name());
        note(parts, "command", before.command(), after.command());
        note(parts, "need", before.need(), after.need());
        note(parts, "model", before.work(), after.work());
        note(parts, "time limit", before.timeLimit(), after.timeLimit());
        note(parts, "priority", before.priority(), after.priority());
        note(parts, "directory", before.workDir(), after.workDir());
        note(parts, "lane", before.lane(), after.lane());
        note(parts, "retries", before.mostRetries(), after.mostRetries());
        note(parts, "environment", before.environment(), after.environment());
        return String.join(", ", parts);
    }

    private static void note(List<String> parts, String name, Object before, Object after) {
        if (!before.equals(after)) {
            parts.add(name);
        }
    }

    private static Optional<Task> find(Draft draft, TaskId id) {
        return draft.state().tasks().get(id);
    }

    private static Rejected notPending(TaskId id, Optional<Task> found) {
        return Rejected.conflict(
                        "task.not_pending",
                        "Task "
                                + id
                                + " is "
                                + word(found)
                                + "; only a pending one can be queued"
                                + " or started by hand.")
                .with("status", word(found));
    }

    private static Rejected notWaiting(TaskId id, Optional<Task> found) {
        return Rejected.conflict(
                        "task.not_waiting",
                        "Task "
                                + id
                                + " is "
                                + word(found)
                                + "; only what has not started yet can"
                                + " be changed.")
                .with("status", word(found));
    }

    private static String word(Optional<Task> found) {
        return found.map(task -> task.state().word()).orElse("finished");
    }
}
