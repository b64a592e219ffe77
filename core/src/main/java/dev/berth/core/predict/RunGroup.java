package dev.berth.core.predict;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** The last runs of one group of tasks. */
public final class RunGroup {

    /** More would follow a change too slowly. */
    static final int MAX_RUNS = 20;

    /**
     * Tasks change, so that more than one of twenty further runs is longer than the last twenty.
     * With this allowance nine of ten stay below the bound on real traces.
     */
    private static final double BEYOND_LONGEST = 1.25;

    private final RunKind kind;
    private final List<PastRun> runs;

    /**
     * Computed when it is first needed: each pass needs it for many tasks, and most groups are not
     * needed between two runs. Threads that compute it at the same time get equal values.
     */
    private @Nullable Summary summary;

    /** The run times of all runs and of those with the same command. */
    private record Summary(Optional<RunTime> all, SortedMap<Long, RunTime> byCommand) {}

    /**
     * @param kind of the newest run
     * @param runs oldest first
     */
    RunGroup(RunKind kind, List<PastRun> runs) {
        this.kind = kind;
        this.runs = List.copyOf(runs.subList(Math.max(0, runs.size() - MAX_RUNS), runs.size()));
    }

    public RunKind kind() {
        return kind;
    }

    /** Oldest first. */
    public List<PastRun> runs() {
        return runs;
    }

    RunGroup with(RunKind newest, PastRun run) {
        var more = new ArrayList<>(runs);
        more.add(run);
        return new RunGroup(newest, more);
    }

    /** A run can be in both if it ended while the older ones were read. */
    RunGroup withNewer(RunGroup newer) {
        var more = new ArrayList<>(runs);
        more.removeIf(run -> newer.runs.stream().anyMatch(one -> one.task().equals(run.task())));
        more.addAll(newer.runs);
        return new RunGroup(newer.kind, more);
    }

    RunGroup without(long fingerprint) {
        return new RunGroup(
                kind, runs.stream().filter(run -> run.fingerprint() != fingerprint).toList());
    }

    public Instant lastRun() {
        return runs.getLast().endedAt();
    }

    public List<Duration> completed() {
        return completed(runs);
    }

    private static List<Duration> completed(List<PastRun> runs) {
        return runs.stream().filter(PastRun::isComplete).map(PastRun::length).sorted().toList();
    }

    /** Empty if no run was completed. */
    public Optional<RunTime> runTime() {
        return summary().all();
    }

    /** By the runs of this very command; empty if none was completed. */
    Optional<RunTime> runTime(long command) {
        return Optional.ofNullable(summary().byCommand().get(command));
    }

    private Summary summary() {
        var known = summary;
        if (known == null) {
            var all = runTime(runs);
            var commands = new TreeMap<Long, List<PastRun>>();
            for (var run : runs) {
                commands.computeIfAbsent(run.command(), _ -> new ArrayList<>()).add(run);
            }
            var byCommand = new TreeMap<Long, RunTime>();
            commands.forEach(
                    (command, same) ->
                            (same.size() == runs.size() ? all : runTime(same))
                                    .ifPresent(time -> byCommand.put(command, time)));
            known = new Summary(all, byCommand);
            summary = known;
        }
        return known;
    }

    private static Optional<RunTime> runTime(List<PastRun> runs) {
        var completed = completed(runs);
        if (completed.isEmpty()) {
            return Optional.empty();
        }
        var median = median(completed);
        var known = new ArrayList<>(completed);
        // A run that was cut short tells something only if it ran longer than usual.
        runs.stream()
                .filter(run -> !run.isComplete() && run.length().compareTo(median) > 0)
                .forEach(run -> known.add(run.length()));
        known.sort(null);
        return Optional.of(new RunTime(median(known), high(known), completed.size()));
    }

    /** Of all runs: one that failed held its GPUs, too. */
    Duration mean() {
        var sum = runs.stream().map(PastRun::length).reduce(Duration.ZERO, Duration::plus);
        return sum.dividedBy(runs.size());
    }

    private static Duration median(List<Duration> sorted) {
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : sorted.get(middle - 1).plus(sorted.get(middle)).dividedBy(2);
    }

    /** Nine of ten further runs take no longer. */
    private static Duration high(List<Duration> sorted) {
        return Duration.ofMillis(Math.round(sorted.getLast().toMillis() * BEYOND_LONGEST));
    }

    /** The highest memory use of these runs, if at least this number of them was measured. */
    public OptionalLong peakMib(int minRuns) {
        var peaks = runs.stream().map(PastRun::peakMib).filter(OptionalLong::isPresent).toList();
        return peaks.size() < minRuns
                ? OptionalLong.empty()
                : peaks.stream().mapToLong(OptionalLong::getAsLong).max();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunGroup group
                && kind.equals(group.kind)
                && runs.equals(group.runs);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, runs);
    }
}
