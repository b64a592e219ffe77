package dev.berth.engine;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.lane.LaneScript;
import dev.berth.core.line.Usage;
import dev.berth.core.line.Waiting;
import dev.berth.core.plan.Fleet;
import dev.berth.core.plan.Hold;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskMove;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Meter;
import dev.berth.engine.port.Node;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Turns the planner's verdicts into attempts. */
final class Granting {

    private static final Duration BEAT = Duration.ofSeconds(5);

    private final Planner planner;
    private final Place place;
    private final Tuning tuning;
    private Optional<Seen> seen = Optional.empty();

    /** Where attempts go and under which server start. */
    record Place(String node, String bootId, long epoch) {}

    /**
     * By whose word a task starts.
     *
     * @param isForced whatever is on its cards
     */
    record Word(Owner of, boolean isForced) {
        static final Word BERTHS = new Word(Owner.BERTH, false);
    }

    Granting(Planner planner, Tuning tuning, Place place) {
        this.planner = planner;
        this.tuning = tuning;
        this.place = place;
    }

    Snapshot snapshot(State state, Optional<WaitReason.Paused> pause, Instant at) {
        var used = state.books().usage().by(at, running(state));
        return new Snapshot(
                at,
                state.waiting(),
                fleet(state, at),
                used,
                cpuTasks(state),
                spacing(state, at),
                pause);
    }

    /** Runs of which a task has not come up yet, or came up just now. */
    private SortedSet<Long> spacing(State state, Instant at) {
        var runs = new TreeSet<Long>();
        if (state.books().runs().isEmpty()) {
            return runs;
        }
        for (var grant : state.watch().grants()) {
            if (at.isBefore(grant.getValue().plus(tuning.assignDelay()))) {
                runs.add(grant.getKey());
            }
        }
        state.attempts()
                .values()
                .filter(attempt -> attempt.phase() instanceof Phase.Starting)
                .map(attempt -> state.tasks().get(attempt.id().task()).orElseThrow())
                .flatMap(task -> task.spec().ofRun().stream())
                .forEach(lane -> runs.add(lane.run()));
        return runs;
    }

    /** When the first of these pauses is over. */
    Optional<Instant> pausedUntil(State state, Instant at) {
        return state.watch()
                .grants()
                .values()
                .map(then -> then.plus(tuning.assignDelay()))
                .filter(then -> then.isAfter(at))
                .min(Comparator.naturalOrder());
    }

    private Fleet fleet(State state, Instant at) {
        var traffic = state.watch().cards();
        var loaded = PersistentMap.<CardId, List<String>>empty();
        for (var entry : traffic.models()) {
            // What is used there does not age.
            var then = state.holds().contains(entry.getKey()) ? Instant.MIN : at;
            var models = planner.rules().models().loaded(entry.getValue(), then);
            loaded = loaded.with(entry.getKey(), models);
        }
        return new Fleet(
                state.usable(), state.holds(), traffic.leaving(), traffic.releasedAt(), loaded);
    }

    private static List<Usage.Running> running(State state) {
        return state.attempts()
                .values()
                .filter(attempt -> !attempt.claims().isEmpty())
                .map(attempt -> running(attempt, state))
                .toList();
    }

    private static Usage.Running running(Attempt attempt, State state) {
        var owner = state.tasks().get(attempt.id().task()).orElseThrow().owner();
        return new Usage.Running(owner.principal(), attempt.claims().size(), attempt.grantedAt());
    }

    private static int cpuTasks(State state) {
        return (int)
                state.attempts().values().filter(attempt -> attempt.claims().isEmpty()).count();
    }

    /** One pass, unless it would look at what the last one saw and started nobody for. */
    void decide(Draft draft, Optional<WaitReason.Paused> pause, Meter meter) {
        var state = draft.state();
        var leaving = state.watch().cards().leaving();
        var now =
                Optional.of(
                        new Seen(
                                state.waiting(),
                                state.usable(),
                                state.holds(),
                                leaving,
                                cpuTasks(state),
                                spacing(state, draft.at()),
                                pause,
                                beat(state, draft.at())));
        if (now.equals(seen)) {
            return;
        }
        var watch = meter.start(Meter.Step.PASS);
        var plan = planner.pass(snapshot(state, pause, draft.at()));
        watch.stop();
        for (var start : plan.starts()) {
            grant(draft, start, Word.BERTHS);
        }
        seen = plan.starts().isEmpty() ? now : Optional.empty();
    }

    /** Where the order moves with time alone, the same is looked at again now and then. */
    private static long beat(State state, Instant at) {
        return state.waiting().order().isByUse() ? at.getEpochSecond() / BEAT.toSeconds() : 0;
    }

    /** All that decides whether anybody can start. */
    private record Seen(
            Waiting waiting,
            PersistentMap<CardId, CardState> cards,
            PersistentMap<CardId, List<Hold>> holds,
            PersistentMap<CardId, List<AttemptId>> leaving,
            int cpuTasks,
            SortedSet<Long> spacing,
            Optional<WaitReason.Paused> pause,
            long beat) {}

    void grant(Draft draft, Verdict.Start start, Word word) {
        var task = draft.state().tasks().get(start.task()).orElseThrow();
        var attempt =
                new Attempt(
                        start.attempt(),
                        place.node(),
                        place.epoch(),
                        place.bootId(),
                        start.claims(),
                        draft.at(),
                        new Phase.Starting());
        draft.save(task.after(new TaskMove.Start(attempt.id().number())));
        draft.save(attempt);
        Concluding.modelUsed(draft, task, attempt, planner.rules().models());
        var cards =
                start.claims().stream()
                        .map(Claim::card)
                        .map(id -> draft.state().cards().get(id).orElseThrow().card())
                        .toList();
        var data = new TreeMap<String, String>();
        data.put("gpus", draft.state().indices(attempt));
        data.put("waited_ms", Long.toString(waited(task, draft.at()).toMillis()));
        if (word.isForced()) {
            data.put("forced", "true");
        }
        if (start.leavesTooFew()) {
            data.put("gpu_left", "not kept: it cannot do with fewer");
        }
        task.spec().lane().ifPresent(lane -> data.put("lane", lane.word()));
        draft.happened(Event.Kind.ATTEMPT_GRANTED, word.of(), attempt.id(), data);
        task.spec().ofRun().ifPresent(lane -> note(draft, lane.run()));
        var spec =
                task.spec().ofRun().isPresent()
                        ? task.spec().running(LaneScript.of(task))
                        : task.spec();
        var terms = new Node.Terms(word.isForced(), planner.rules(), tuning.confirmWithin());
        draft.act(new Effect.Launch(new Node.Launch(attempt, spec, cards, terms)));
    }

    private static Duration waited(Task task, Instant at) {
        var waited = Duration.between(task.waitingSince(), at);
        return waited.isNegative() ? Duration.ZERO : waited;
    }

    private static void note(Draft draft, long run) {
        var watch = draft.state().watch();
        var grants = watch.grants().with(run, draft.at());
        draft.become(draft.state().with(watch.withGrants(grants)));
    }
}
