package dev.berth.store;

import dev.berth.port.read.UserUsage;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Sums up the usage of users. The figures of tasks that have ended stay in memory, because reading
 * a hundred thousand of them takes half a second: each request verifies that none of them was
 * changed, and reads those that have ended since.
 */
final class UsageCache {

    /** About 15 MB. The tasks of a longer period are read for each request. */
    static final int MAX_TASKS = 120_000;

    /** Fewer new tasks are read again, rather than copying the list. */
    static final int MIN_NEW = 1000;

    /** An end may be recorded a little later than one that followed it. */
    private static final long UNSETTLED_MICROS = Duration.ofSeconds(10).toNanos() / 1000;

    private final AtomicReference<Optional<Kept>> kept = new AtomicReference<>(Optional.empty());
    private final AtomicInteger reads = new AtomicInteger();

    /**
     * All tasks that ended in a period.
     *
     * @param from before the first end
     * @param to the last end
     */
    private record Kept(
            long from, long to, List<UsedTask> tasks, UsedTaskQuery.Fingerprint fingerprint) {}

    /** How many ended tasks were read from the database so far. */
    int reads() {
        return reads.get();
    }

    List<UserUsage> usage(SqlSession session, Instant from, Instant to) throws SQLException {
        return usage(new UsedTaskQuery(session), Micros.of(from), Micros.of(to));
    }

    private List<UserUsage> usage(UsedTaskQuery query, long from, long to) throws SQLException {
        var sums = new UsageSums(from, to);
        var known = valid(query, from);
        known.ifPresent(
                past ->
                        past.tasks().stream()
                                .filter(task -> task.finishedAt() > from)
                                .forEach(sums::add));
        var added = new ArrayList<UsedTask>();
        query.finishedAfter(
                known.map(Kept::to).orElse(from),
                task -> {
                    reads.incrementAndGet();
                    sums.add(task);
                    if (task.finishedAt() <= to - UNSETTLED_MICROS && added.size() <= MAX_TASKS) {
                        added.add(task);
                    }
                });
        query.unfinished(sums::add);
        if (added.size() >= MIN_NEW) {
            keep(query, known, from, added);
        }
        return sums.users();
    }

    /** What is kept, if it covers the period and is still true. */
    private Optional<Kept> valid(UsedTaskQuery query, long from) throws SQLException {
        var past = kept.get();
        return past.isPresent()
                        && past.get().from() <= from
                        && query.fingerprint(past.get().from(), past.get().to())
                                .equals(past.get().fingerprint())
                ? past
                : Optional.empty();
    }

    private void keep(UsedTaskQuery query, Optional<Kept> known, long from, List<UsedTask> added)
            throws SQLException {
        if (added.size() > MAX_TASKS) {
            return;
        }
        var all = new ArrayList<>(known.map(Kept::tasks).orElse(List.of()));
        all.addAll(added);
        long begin = known.map(Kept::from).orElse(from);
        if (all.size() > MAX_TASKS) {
            begin = all.get(all.size() - MAX_TASKS / 2).finishedAt();
            long dropped = begin;
            all.removeIf(task -> task.finishedAt() <= dropped);
        }
        long end = all.getLast().finishedAt();
        kept.set(Optional.of(new Kept(begin, end, all, query.fingerprint(begin, end))));
    }
}
