package dev.berth.core.predict;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Learns from very many runs, oldest first, in less time than {@link Learned#with} takes. */
public final class LearnedBuilder {

    private static final Comparator<Map.Entry<Long, Runs>> NEWEST_FIRST =
            Comparator.comparing(
                            (Map.Entry<Long, Runs> one) -> one.getValue().lastRun(),
                            Comparator.reverseOrder())
                    .thenComparing(Map.Entry::getKey, Comparator.reverseOrder());

    private final TreeMap<Long, Runs> groups = new TreeMap<>();

    private static final class Runs {
        private final Deque<PastRun> last = new ArrayDeque<>(2);
        private RunKind newest;

        Runs(RunKind kind) {
            this.newest = kind;
        }

        void add(RunKind kind, PastRun run) {
            newest = kind;
            last.addLast(run);
            if (last.size() > RunGroup.MAX_RUNS) {
                last.removeFirst();
            }
        }

        Instant lastRun() {
            return last.getLast().endedAt();
        }
    }

    public void add(RunKind kind, PastRun run) {
        for (long group : kind.allGroups()) {
            groups.computeIfAbsent(group, _ -> new Runs(kind)).add(kind, run);
        }
        if (groups.size() > 2 * Learned.MAX_GROUPS) {
            var kept = newest();
            groups.clear();
            kept.forEach(one -> groups.put(one.getKey(), one.getValue()));
        }
    }

    private List<Map.Entry<Long, Runs>> newest() {
        var all = new ArrayList<Map.Entry<Long, Runs>>();
        groups.forEach((key, runs) -> all.add(Map.entry(key, runs)));
        all.sort(NEWEST_FIRST);
        return all.subList(0, Math.min(all.size(), Learned.MAX_GROUPS));
    }

    public Learned build() {
        var learned = Learned.NOTHING;
        for (var one : newest()) {
            var runs = one.getValue();
            learned = learned.with(one.getKey(), new RunGroup(runs.newest, List.copyOf(runs.last)));
        }
        return learned;
    }
}
