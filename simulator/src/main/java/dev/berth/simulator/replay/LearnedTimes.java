package dev.berth.simulator.replay;

import dev.berth.core.predict.Learned;
import dev.berth.core.predict.PastRun;
import dev.berth.core.predict.RunKind;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What Berth has learned of run times up to now. */
final class LearnedTimes {

    private Learned learned = Learned.NOTHING;
    private Predictions predictions = Predictions.NONE;

    /** Equal jobs share one specification. Only an end changes what is known of them. */
    private final Map<TaskSpec, Optional<Duration>> bounds = new IdentityHashMap<>();

    RunTimes runTimes() {
        return learned;
    }

    Predictions predictions() {
        return predictions;
    }

    Optional<Duration> bound(Task task) {
        var limit = task.spec().options().timeLimit();
        return limit.isPresent()
                ? limit
                : bounds.computeIfAbsent(task.spec(), _ -> learned.bound(task));
    }

    /** Compares the run time of a job that starts now with the prediction. */
    void check(Task task, Duration length) {
        learned.of(task)
                .filter(time -> time.runs() >= RunTimes.MIN_RUNS_FOR_BOUND)
                .ifPresent(
                        time ->
                                predictions =
                                        predictions.with(
                                                isWithin(length, time.median()),
                                                isWithin(length, time.p90())));
    }

    private static boolean isWithin(Duration length, Duration predicted) {
        return length.compareTo(predicted) <= 0;
    }

    void ended(Task task, Duration length, Instant now) {
        var kind = RunKind.of(task.owner(), task.spec());
        learned =
                learned.with(
                        kind,
                        new PastRun(
                                task.id(),
                                kind.fingerprint(),
                                kind.command(),
                                now,
                                length,
                                true,
                                OptionalLong.empty()));
        bounds.clear();
    }
}
