package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.card.CardState;
import dev.berth.core.plan.Planner;
import dev.berth.core.task.Need;
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
import java.util.stream.Collectors;

/** Takes new tasks in. */
final class Submitting {

    /** How long a submit key is remembered. */
    static final Duration KEY_LIFE = Duration.ofHours(24);

    private final Planner planner;
    private final int mostWaiting;

    /**
     * @param mostWaiting of one user
     */
    Submitting(Planner planner, int mostWaiting) {
        this.mostWaiting = mostWaiting;
        this.planner = planner;
    }

    Reply decide(Draft draft, Command.Submit submit) {
        var earlier = submit.keyed().flatMap(keyed -> repeated(draft.state(), keyed, submit.at()));
        if (earlier.isPresent()) {
            return earlier.get();
        }
        // After the look for the key: what was acknowledged once is acknowledged again.
        if (draft.state().waiting().count(submit.actor().principal()) >= mostWaiting) {
            return new Reply.Refused(full());
        }
        if (submit.spec().need() instanceof Need.Cards need) {
            var refusal = refusal(need, draft.state());
            if (refusal.isPresent()) {
                return new Reply.Refused(refusal.get());
            }
        }
        var task =
                Task.queued(
                        new TaskId(draft.state().marks().task() + 1),
                        submit.actor(),
                        submit.spec(),
                        later(submit.at(), draft.state().marks().createdAt()));
        draft.save(task);
        submit.keyed()
                .ifPresent(
                        keyed ->
                                draft.save(
                                        new Change.KeySaved(
                                                keyed.key(),
                                                new KeyUse(
                                                        task.id(),
                                                        keyed.bodyHash(),
                                                        submit.at()))));
        draft.happened(
                Event.Kind.TASK_SUBMITTED,
                submit.actor(),
                task.id(),
                Map.of("name", task.spec().name(), "priority", task.spec().priority().name()));
        return new Reply.Granted(task.id(), false);
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
                                        : new Reply.Refused(
                                                Rejected.invalid(
                                                                "idempotency_key.reused",
                                                                "Idempotency-Key",
                                                                "This Idempotency-Key was used for"
                                                                        + " another request (task "
                                                                        + use.task()
                                                                        + "). Use a new key for a"
                                                                        + " new request.")
                                                        .with("task", use.task())));
    }

    private static boolean isOver(KeyUse use, Instant at) {
        return use.at().plus(KEY_LIFE).isBefore(at);
    }

    private Rejected full() {
        return Rejected.tooMany(
                        "queue.user_full",
                        "You have "
                                + mostWaiting
                                + " tasks waiting already. Wait until some have started, or cancel"
                                + " some.")
                .with("most", mostWaiting);
    }

    private Optional<Rejected> refusal(Need.Cards need, State state) {
        var cards = state.cards();
        if (cards.isEmpty()) {
            return Optional.of(
                    Rejected.impossible(
                            "cards.none",
                            "gpu_count",
                            "No GPU has ever been readable here, so a task that needs one could"
                                + " never start. Submit with devices \"cpu\" (berth submit --device"
                                + " cpu), or check the driver."));
        }
        var models =
                cards.values()
                        .map(CardState::card)
                        .map(card -> card.model())
                        .collect(Collectors.toCollection(java.util.TreeSet::new));
        if (need.model().isPresent() && !models.contains(need.model().get())) {
            var known = String.join(", ", models);
            return Optional.of(
                    Rejected.impossible(
                                    "gpu_type.unknown",
                                    "gpu_type",
                                    "There is no GPU of type \""
                                            + need.model().get()
                                            + "\" here. Known types: "
                                            + known
                                            + ".")
                            .with("known", known));
        }
        int suitable = planner.suitable(need, cards);
        if (suitable < need.count()) {
            var memory =
                    need.memoryMib().isPresent()
                            ? " with " + need.memoryMib().getAsLong() + " MiB"
                            : "";
            var type = need.model().map(model -> " of type " + model).orElse("");
            var field = need.memoryMib().isPresent() && suitable == 0 ? "memory_gb" : "gpu_count";
            return Optional.of(
                    Rejected.impossible(
                                    "cards.too_many",
                                    field,
                                    need.count()
                                            + " wanted, "
                                            + suitable
                                            + " exist: no "
                                            + need.count()
                                            + " GPU(s)"
                                            + type
                                            + memory
                                            + " are here, so the task could never start.")
                            .with("wanted", need.count())
                            .with("exist", suitable));
        }
        return Optional.empty();
    }
}
