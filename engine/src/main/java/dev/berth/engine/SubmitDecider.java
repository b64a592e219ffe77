package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Change;
import dev.berth.port.SubmitKeyUse;
import dev.berth.port.event.TaskPayload;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Adds new tasks. */
final class SubmitDecider {

    /** A clock that is set back by more was wrong before. */
    private static final Duration MAX_SET_BACK = Duration.ofHours(2);

    /** How long a submit key is valid. */
    static final Duration KEY_LIFETIME = Duration.ofHours(24);

    private final Feasibility feasibility;
    private final QueueLimits limits;
    private final TaskLimits userLimits;

    SubmitDecider(Feasibility feasibility, QueueLimits limits, TaskLimits userLimits) {
        this.limits = limits;
        this.userLimits = userLimits;
        this.feasibility = feasibility;
    }

    EngineReply decide(Decision decision, EngineCommand.Submit submit) {
        var earlier =
                submit.repeatGuard()
                        .flatMap(keyed -> repeated(decision.state(), keyed, submit.at()));
        if (earlier.isPresent()) {
            return earlier.get();
        }
        var first = new TaskId(decision.state().lastIds().task() + 1);
        for (int i = 0; i < submit.entries().size(); i++) {
            var entry = submit.entries().get(i);
            // After the check of the key: a repeated request is accepted again even at the limit.
            var refusal = refusal(entry, decision.state());
            if (refusal.isPresent()) {
                return new EngineReply.Refused(
                        submit.isBatch() ? atIndex(refusal.get(), i) : refusal.get());
            }
            add(decision, submit.actor(), capped(entry, decision.state()));
        }
        submit.repeatGuard()
                .ifPresent(
                        keyed ->
                                decision.save(
                                        new Change.KeySaved(
                                                keyed.key(),
                                                new SubmitKeyUse(
                                                        first, keyed.bodyHash(), submit.at()))));
        return new EngineReply.TaskAccepted(first, false);
    }

    Optional<Rejected> refusal(EngineCommand.NewTask entry, EngineState state) {
        return refusal(entry.owner(), List.of(entry.spec()), state)
                .or(() -> userLimits.refusal(entry.owner(), entry.spec(), state))
                .or(() -> feasibility.refusal(entry.spec(), entry.owner(), state));
    }

    /** A refusal if these tasks would be too many. */
    Optional<Rejected> refusal(Owner owner, List<TaskSpec> more, EngineState state) {
        int now = QueueLimits.count(owner, state);
        return userLimits
                .queueRefusal(owner, more.size(), now, state)
                .or(() -> limits.refusal(owner, more, state));
    }

    /** The task as it is added: a limit of its owner bounds its time. */
    EngineCommand.NewTask capped(EngineCommand.NewTask entry, EngineState state) {
        return new EngineCommand.NewTask(
                entry.owner(),
                userLimits.capped(entry.owner(), entry.spec(), state),
                entry.isDraft());
    }

    static void add(Decision decision, Owner actor, EngineCommand.NewTask entry) {
        var marks = decision.state().lastIds();
        var id = new TaskId(marks.task() + 1);
        var at = later(decision.at(), marks.createdAt());
        var task =
                entry.isDraft()
                        ? Task.draft(id, entry.owner(), entry.spec(), at)
                        : Task.queued(id, entry.owner(), entry.spec(), at);
        decision.save(task);
        var spec = task.spec();
        decision.addEvent(
                actor,
                id,
                entry.isDraft()
                        ? new TaskPayload.TaskDrafted(spec.name(), spec.options().priority())
                        : new TaskPayload.TaskSubmitted(spec.name(), spec.options().priority()));
    }

    /** Names the task at fault by its index in the batch. */
    private static Rejected atIndex(Rejected refusal, int place) {
        return new Rejected(
                refusal.kind(),
                refusal.code(),
                "[" + place + "]" + (refusal.field().isEmpty() ? "" : "." + refusal.field()),
                refusal.params());
    }

    /** Removes expired keys. */
    void purge(Decision decision, Instant at) {
        for (var entry : decision.state().keys()) {
            if (isExpired(entry.getValue(), at)) {
                decision.save(new Change.KeyDropped(entry.getKey()));
            }
        }
    }

    /**
     * Creation times strictly increase even if the clock is set back a little: clients sort by
     * them, and a task of a command file is identified by its creation time. A creation time far in
     * the future was a wrong clock, and is not continued.
     */
    private static Instant later(Instant at, Instant last) {
        var tick = last.plus(1, ChronoUnit.MICROS);
        boolean isWrong = last.isAfter(at.plus(MAX_SET_BACK));
        return at.isBefore(tick) && !isWrong ? tick : at;
    }

    private static Optional<EngineReply> repeated(
            EngineState state, EngineCommand.RepeatGuard keyed, Instant at) {
        return state.keys()
                .get(keyed.key())
                .filter(use -> !isExpired(use, at))
                .map(
                        use ->
                                use.bodyHash().equals(keyed.bodyHash())
                                        ? new EngineReply.TaskAccepted(use.task(), true)
                                        : new EngineReply.Refused(reused(use)));
    }

    private static Rejected reused(SubmitKeyUse use) {
        return Rejected.invalid("idempotency_key.reused", "Idempotency-Key")
                .with("task", use.task());
    }

    private static boolean isExpired(SubmitKeyUse use, Instant at) {
        return use.at().plus(KEY_LIFETIME).isBefore(at);
    }

    TaskLimits userLimits() {
        return userLimits;
    }
}
