package dev.berth.core.predict;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What ended runs tell about tasks to come. Its size is limited: the groups without a run for the
 * longest time are dropped.
 *
 * @param groups by the hashes of {@link RunKind#groups} and {@link RunKind#sizeGroup}
 * @param byAge the same groups by their last run
 * @param forgotten fingerprints that were forgotten since the start of the server, and when
 */
public record Learned(
        PersistentMap<Long, RunGroup> groups,
        PersistentMap<LastRun, Long> byAge,
        PersistentMap<Long, Instant> forgotten)
        implements RunTimes {

    public static final Learned NOTHING =
            new Learned(PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty());

    /** Stands for all fingerprints. */
    public static final long ALL = 0;

    static final int MAX_GROUPS = 10_000;

    /** One run may have needed less than usual. */
    private static final int MIN_RUNS_FOR_MEMORY = 2;

    private static final double MEMORY_MARGIN = 1.2;
    private static final long MIB_PER_GIB = 1024;

    record LastRun(Instant at, long group) implements Comparable<LastRun> {
        @Override
        public int compareTo(LastRun other) {
            int byTime = at.compareTo(other.at);
            return byTime != 0 ? byTime : Long.compare(group, other.group);
        }
    }

    public Learned with(RunKind kind, PastRun run) {
        var after = this;
        for (long group : kind.allGroups()) {
            var before = groups.get(group).orElse(new RunGroup(kind, List.of()));
            after = after.with(group, before.with(kind, run));
        }
        return after;
    }

    Learned with(long key, RunGroup group) {
        var age = byAge;
        var before = groups.get(key).filter(one -> !one.runs().isEmpty());
        if (before.isPresent()) {
            age = age.without(new LastRun(before.get().lastRun(), key));
        }
        if (group.runs().isEmpty()) {
            return new Learned(groups.without(key), age, forgotten);
        }
        var after = groups.with(key, group);
        age = age.with(new LastRun(group.lastRun(), key), key);
        if (after.size() > MAX_GROUPS) {
            var oldest = age.first().orElseThrow();
            after = after.without(oldest.getValue());
            age = age.without(oldest.getKey());
        }
        return new Learned(after, age, forgotten);
    }

    /** With the runs before the start of the server, which were read meanwhile. */
    public Learned withEarlier(Learned earlier) {
        var all = earlier;
        for (var entry : forgotten) {
            all = all.forget(entry.getKey(), entry.getValue());
        }
        for (var entry : groups) {
            var older = all.groups.get(entry.getKey());
            var group = entry.getValue();
            all = all.with(entry.getKey(), older.map(one -> one.withNewer(group)).orElse(group));
        }
        return all;
    }

    /**
     * Without the runs of a fingerprint, also where they tell something about similar tasks.
     *
     * @param fingerprint all if {@link #ALL}
     */
    public Learned forget(long fingerprint, Instant at) {
        var since = forgotten.with(fingerprint, at);
        if (fingerprint == ALL) {
            return new Learned(PersistentMap.empty(), PersistentMap.empty(), since);
        }
        var after = new Learned(groups, byAge, since);
        for (var entry : groups) {
            var less = entry.getValue().without(fingerprint);
            if (less.runs().size() < entry.getValue().runs().size()) {
                after = after.with(entry.getKey(), less);
            }
        }
        return after;
    }

    /** The runs of each fingerprint, without the wider groups. */
    public List<Map.Entry<Long, RunGroup>> fingerprints() {
        var found = new ArrayList<Map.Entry<Long, RunGroup>>();
        for (var entry : groups) {
            if (entry.getValue().kind().fingerprint() == entry.getKey()) {
                found.add(entry);
            }
        }
        return found;
    }

    @Override
    public Optional<RunTime> of(Owner owner, TaskSpec spec) {
        if (groups.isEmpty()) {
            return Optional.empty();
        }
        var kind = RunKind.of(owner, spec);
        return ofFingerprint(kind)
                .or(() -> groups.get(kind.ownName()).flatMap(RunGroup::runTime))
                .or(() -> kind.model().flatMap(groups::get).flatMap(RunGroup::runTime))
                .or(() -> ofCommand(kind));
    }

    /** By the runs of the very same command, if these are enough to rely on. */
    private Optional<RunTime> ofFingerprint(RunKind kind) {
        var group = groups.get(kind.fingerprint());
        var same = group.flatMap(one -> one.runTime(kind.command()));
        return same.isPresent() && same.get().runs() >= MIN_RUNS_FOR_BOUND
                ? same
                : group.flatMap(RunGroup::runTime);
    }

    /**
     * By the same command of another user or with another name. With other numbers it may take any
     * time: {@code sleep 200} is not like {@code sleep 1}.
     */
    private Optional<RunTime> ofCommand(RunKind kind) {
        return kind.pattern().flatMap(groups::get).flatMap(one -> one.runTime(kind.command()));
    }

    /** The mean of the narrowest group, also of runs that did not complete. */
    @Override
    public Optional<Duration> expected(Owner owner, TaskSpec spec) {
        if (groups.isEmpty()) {
            return Optional.empty();
        }
        var kind = RunKind.of(owner, spec);
        for (long group : kind.groups()) {
            var known = groups.get(group);
            if (known.isPresent()) {
                return known.map(RunGroup::mean);
            }
        }
        return groups.get(kind.sizeGroup()).map(RunGroup::mean);
    }

    /** GPU memory in whole GiB that is enough for such a task with a margin, if known. */
    public OptionalLong memoryMib(Owner owner, TaskSpec spec) {
        if (groups.isEmpty()) {
            return OptionalLong.empty();
        }
        for (long group : RunKind.of(owner, spec).memoryGroups()) {
            var peak =
                    groups.get(group)
                            .map(one -> one.peakMib(MIN_RUNS_FOR_MEMORY))
                            .orElse(OptionalLong.empty());
            if (peak.isPresent() && peak.getAsLong() > 0) {
                long needed = (long) Math.ceil(peak.getAsLong() * MEMORY_MARGIN);
                return OptionalLong.of(Math.ceilDiv(needed, MIB_PER_GIB) * MIB_PER_GIB);
            }
        }
        return OptionalLong.empty();
    }
}
