package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.KeyUse;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;

/** Takes new tasks in. */
final class Submitting {

    /** How long a submit key is remembered. */
    static final Duration KEY_LIFE = Duration.ofHours(24);

    private final Feasibility feasibility;
    private final int mostWaiting;

    /**
     * @param mostWaiting of one user
     */
    Submitting(Feasibility feasibility, int mostWaiting) {
        this.mostWaiting = mostWaiting;
        this.feasibility = feasibility;
    }

    Reply decide(Draft draft, Command.Submit submit) {
        var earlier = submit.keyed().flatMap(keyed -> repeated(draft.state(), keyed, submit.at()));
        if (earlier.isPresent()) {
            return earlier.get();
        }
        var first = new TaskId(draft.state().marks().task() + 1);
        for (int i = 0; i < submit.entries().size(); i++) {
            var entry = submit.entries().get(i);
            // After the look for the key: what was acknowledged once is acknowledged again.
            var refusal =
                    full(entry.owner(), 1, draft.state())
                            .or(() -> feasibility.refusal(entry.spec(), draft.state()));
            if (refusal.isPresent()) {
                return new Reply.Refused(
                        submit.isBatch() ? placed(refusal.get(), i) : refusal.get());
            }
            take(draft, submit.actor(), entry);
        }
        submit.keyed()
                .ifPresent(
                        keyed ->
                                draft.save(
                                        new Change.KeySaved(
                                                keyed.key(),
                                                new KeyUse(first, keyed.bodyHash(), submit.at()))));
        return new Reply.Granted(first, false);
    }

    static void take(Draft draft, Owner actor, Command.Entry entry) {
        var marks = draft.state().marks();
        var id = new TaskId(marks.task() + 1);
        var at = later(draft.at(), marks.createdAt());
        var task =
                entry.isDraft()
                        ? Task.draft(id, entry.owner(), entry.spec(), at)
                        : Task.queued(id, entry.owner(), entry.spec(), at);
        draft.save(task);
        draft.happened(
                entry.isDraft() ? Event.Kind.TASK_DRAFTED : Event.Kind.TASK_SUBMITTED,
                actor,
                id,
                Map.of("name", task.spec().name(), "priority", task.spec().priority().name()));
    }

    /** Of several, the one at fault is named by its place. */
    private static Rejected placed(Rejected refusal, int place) {
        return new Rejected(
                refusal.kind(),
                refusal.code(),
                "[" + place + "]" + (refusal.field().isEmpty() ? "" : "." + refusal.field()),
                refusal.detail(),
                refusal.params());
    }

    /** Forgets the keys that are too old to matter. */
    void forget(Draft draft, Instant at) {
        for (var entry : draft.state().keys()) {
            if (isOver(entry.getValue(), at)) {
                draft.save(new Change.KeyDropped(entry.getKey()));
            }
        }
    }

    /**
     * Creation times grow strictly, also when the clock is set back: they are the order of the
     * line.
     */
    private static Instant later(Instant at, Instant last) {
        var tick = last.plus(1, ChronoUnit.MICROS);
        return at.isBefore(tick) ? tick : at;
    }

    private static Optional<Reply> repeated(State state, Command.Keyed keyed, Instant at) {
        return state.keys()
                .get(keyed.key())
                .filter(use -> !isOver(use, at))
                .map(
                        use ->
                                use.bodyHash().equals(keyed.bodyHash())
                                        ? new Reply.Granted(use.task(), true)
                                        : new Reply.Refused(reused(use)));
    }

    private static Rejected reused(KeyUse use) {
        return Rejected.invalid(
                        "idempotency_key.reused",
                        "Idempotency-Key",
                        "This Idempotency-Key was used for another request (task "
                                + use.task()
                                + "). Use a new key for a new request.")
                .with("task", use.task());
    }

    private static boolean isOver(KeyUse use, Instant at) {
        return use.at().plus(KEY_LIFE).isBefore(at);
    }

    /** Whether one user may not have so many more waiting. */
    Optional<Rejected> full(Owner owner, int more, State state) {
        var principal = owner.principal();
        int now = state.waiting().counts().of(principal) + state.drafts().of(principal);
        return more <= mostWaiting - now
                ? Optional.empty()
                : Optional.of(
                        Rejected.tooMany(
                                        "queue.user_full",
                                        "You have "
                                                + now
                                                + " tasks waiting, of "
                                                + mostWaiting
                                                + " that may. Wait until some have started, or"
                                                + " cancel some.")
                                .with("most", mostWaiting));
    }
}
