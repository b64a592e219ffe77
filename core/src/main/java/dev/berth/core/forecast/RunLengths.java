package dev.berth.core.forecast;

import dev.berth.core.predict.RunTime;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How long tasks run in a virtual run. A time limit is an upper bound, and the run time of a task
 * without a past.
 */
record RunLengths(RunTimes times, Quantile quantile) {

    enum Quantile {
        MEDIAN,
        P90
    }

    /** How long the end of a task takes that is being stopped. */
    private static final Duration STOP_TIME = Duration.ofSeconds(10);

    private static final Duration MIN_REMAINING = Duration.ofSeconds(1);

    private static final Duration SHORTEST = Duration.ofMillis(1);

    /** The odds that a run ends by its p90, nine to one. */
    private static final double P90_ODDS = 9;

    /** Even if all earlier runs took equally long, a run that exceeds them is not over at once. */
    private static final double MAX_STEEPNESS = 8;

    /** The run time of a task that starts; empty if nothing is known. */
    Optional<Duration> of(Task task) {
        var limit = task.spec().options().timeLimit();
        var past =
                times.of(task)
                        .map(time -> quantile == Quantile.MEDIAN ? time.median() : time.p90());
        return past.map(time -> limit.map(most -> min(time, most)).orElse(time)).or(() -> limit);
    }

    /** The end of a running task; empty if nothing is known. */
    Optional<Instant> end(RunningTask running, Instant now) {
        return switch (running.attempt().phase()) {
            case Phase.Starting _, Phase.Running _ -> end(running.task(), since(running), now);
            // Nobody knows when it starts.
            case Phase.Handed _ -> Optional.empty();
            case Phase.Stopping _, Phase.Ended _ -> Optional.of(now.plus(STOP_TIME));
            // Nobody knows whether it ends without a person.
            case Phase.Lost _, Phase.Stuck _ -> Optional.empty();
        };
    }

    /** The time limit counts from the start of the process. */
    private static Instant since(RunningTask running) {
        var attempt = running.attempt();
        return attempt.phase()
                .shimProcess()
                .map(ShimProcess::startedAt)
                .filter(attempt.scheduledAt()::isBefore)
                .orElse(attempt.scheduledAt());
    }

    private Optional<Instant> end(Task task, Instant since, Instant now) {
        var elapsed = max(Duration.ZERO, Duration.between(since, now));
        var limit = task.spec().options().timeLimit();
        var past = times.of(task).map(time -> total(time, elapsed));
        if (limit.isPresent() && elapsed.compareTo(limit.get()) >= 0) {
            return Optional.of(now.plus(STOP_TIME));
        }
        var total =
                past.map(time -> limit.map(most -> min(time, most)).orElse(time)).or(() -> limit);
        return total.map(since::plus);
    }

    /**
     * The quantile of the run time of a task that has run this long already. Between and beyond the
     * two known quantiles the run times are taken as log-logistic: many short runs, a few very long
     * ones. The longer a task exceeds its median, the longer it will probably still run.
     */
    private Duration total(RunTime time, Duration elapsed) {
        var median = max(SHORTEST, time.median());
        boolean isOver = elapsed.compareTo(median) >= 0;
        double spread = seconds(max(median, time.p90())) / seconds(median);
        if (spread <= 1 && !isOver) {
            return median;
        }
        double steepness = spread <= 1 ? MAX_STEEPNESS : Math.log(P90_ODDS) / Math.log(spread);
        if (isOver) {
            steepness = Math.min(steepness, MAX_STEEPNESS);
        }
        // The odds that a run ends by t are (t / median) ^ steepness.
        double odds = Math.pow(seconds(elapsed) / seconds(median), steepness);
        double wanted =
                switch (quantile) {
                    case MEDIAN -> 1 + 2 * odds;
                    case P90 -> P90_ODDS + (P90_ODDS + 1) * odds;
                };
        double total = seconds(median) * Math.pow(wanted, 1 / steepness);
        var found = Duration.ofMillis(Math.round(total * 1000));
        return isOver ? max(found, elapsed.plus(MIN_REMAINING)) : max(found, elapsed);
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
