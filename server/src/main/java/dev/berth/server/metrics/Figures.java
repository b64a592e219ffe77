package dev.berth.server.metrics;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Owner;
import dev.berth.engine.State;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Event.Kind;
import dev.berth.engine.port.Meter;

import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * What has happened since the server started, counted as it happens. Nobody who tells it of
 * something waits.
 */
public final class Figures implements Meter {

    /** Ends of those that had begun; any other reason says why one could not begin. */
    private static final Set<String> BEGUN =
            Set.of(new Ending.Vanished().error(), new Ending.MachineRestarted().error());

    private static final String NEVER_STARTED = new Ending.NeverStarted().error();

    final Histogram waits =
            new Histogram(
                    0.1, 0.5, 1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200,
                    86_400);
    final Histogram passes =
            new Histogram(0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5);
    final Histogram commits =
            new Histogram(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10);
    final LabelCounts cardTasks = new LabelCounts();
    final LabelCounts answers = new LabelCounts();
    final CardTime cardTime = new CardTime();

    private final Map<Kind, LongAdder> happened = new EnumMap<>(Kind.class);
    private final LongAdder failedLaunches = new LongAdder();
    private volatile Supplier<Optional<State>> state = Optional::empty;

    public Figures() {
        for (var kind : Kind.values()) {
            happened.put(kind, new LongAdder());
        }
    }

    /**
     * Goes by these states from now on; call it before anything happens in them.
     *
     * @param now what already runs is counted from here: an earlier server has told of the rest
     */
    public void begin(Supplier<State> states, Instant now) {
        state = () -> Optional.of(states.get());
        states.get()
                .attempts()
                .values()
                .filter(attempt -> !attempt.claims().isEmpty())
                .forEach(attempt -> hold(attempt.id(), attempt.claims().size(), now));
    }

    private void hold(AttemptId attempt, int cards, Instant since) {
        owner(attempt).ifPresent(owner -> cardTime.begin(attempt, owner, cards, since));
    }

    private Optional<Owner> owner(AttemptId attempt) {
        return state.get()
                .flatMap(now -> now.tasks().get(attempt.task()))
                .map(task -> task.owner());
    }

    @Override
    public Watch start(Step step) {
        var histogram =
                switch (step) {
                    case PASS -> passes;
                    case COMMIT -> commits;
                };
        long began = System.nanoTime();
        return () -> histogram.add((System.nanoTime() - began) / 1e9);
    }

    @Override
    public void happened(Event event) {
        count(event.kind()).increment();
        if (event.kind() == Kind.ATTEMPT_GRANTED) {
            granted(event);
        } else if (event.kind() == Kind.ATTEMPT_ENDED) {
            ended(event);
        }
    }

    private void granted(Event event) {
        waits.add(Long.parseLong(event.data().getOrDefault("waited_ms", "0")) / 1e3);
        var cards = event.data().getOrDefault("gpus", "");
        if (cards.isEmpty()) {
            return;
        }
        var indices = cards.split(",");
        for (var index : indices) {
            cardTasks.add(index);
        }
        event.attempt().ifPresent(attempt -> hold(attempt, indices.length, event.at()));
    }

    private void ended(Event event) {
        var reason = event.data().get("reason");
        if (reason != null && !BEGUN.contains(reason) && !reason.equals(NEVER_STARTED)) {
            failedLaunches.increment();
        }
        event.attempt().ifPresent(attempt -> cardTime.end(attempt, event.at()));
    }

    /** The door has answered. */
    public void answered(int status) {
        answers.add(Integer.toString(status));
    }

    long times(Kind kind) {
        return count(kind).sum();
    }

    private LongAdder count(Kind kind) {
        return Objects.requireNonNull(happened.get(kind));
    }

    long failedLaunches() {
        return failedLaunches.sum();
    }

    /** Given back unstarted; one that was cancelled before it began is not among them. */
    long neverStarted() {
        return times(Kind.TASK_REQUEUED);
    }
}
