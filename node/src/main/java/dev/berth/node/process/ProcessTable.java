package dev.berth.node.process;

import dev.berth.node.linux.NumberedEntries;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * All processes of this host. The table is scanned at every end of an attempt, so a scan must be
 * cheap: for a process seen before, only the inode number of its directory in {@code /proc} is
 * read. The kernel assigns that number from a counter when it creates the directory, so a reused
 * pid comes with another inode number. Under memory pressure the same process may get a new number,
 * and is just read again. So {@code (pid, inode)} identifies a process for as long as we remember
 * it, even if pids wrap around, and its start tick never changes.
 */
public final class ProcessTable {
    private static final long INIT = 1;

    private final String home;

    /** Set by the first scan. */
    private volatile Set<Long> reapers = Set.of();

    private final ReentrantLock lock = new ReentrantLock();

    /** In the order of pids, as the kernel lists them. */
    private List<CachedProcess> cached = List.of();

    /**
     * @param home the home that the attempts belong to
     */
    public ProcessTable(String home) {
        this.home = home;
    }

    /**
     * True if the kernel may make this process the parent of orphans that our children leave: it
     * chooses among our ancestors.
     */
    boolean isReaper(long pid) {
        return reapers.contains(pid);
    }

    private static Set<Long> ancestors(long pid) throws IOException {
        var ancestors = new HashSet<Long>();
        for (var at = Proc.statIfVisible(pid);
                at.isPresent();
                at = Proc.statIfVisible(at.get().parent())) {
            ancestors.add(at.get().parent());
        }
        ancestors.add(INIT);
        return ancestors;
    }

    /**
     * All processes that started at this tick or later and still exist, including zombies, except
     * those known to belong to another attempt of this home.
     */
    List<ScannedProcess> startedSince(long tick, Marker own) throws IOException {
        return scan(entry -> entry.startTick >= tick && !entry.isOfOtherThan(own));
    }

    /**
     * A process with a marker of this home.
     *
     * @param attempt as the marker names it
     */
    public record MarkedProcess(long pid, String attempt) {}

    /** The living processes with a marker of this home. */
    public List<MarkedProcess> marked() throws IOException {
        var marked = new ArrayList<MarkedProcess>();
        var self = ProcessHandle.current().pid();
        for (var seen : scan(entry -> entry.pid != self)) {
            if (seen.stat().isAlive()) {
                marker(seen)
                        .filter(marker -> marker.homeId().equals(home))
                        .map(marker -> new MarkedProcess(seen.stat().pid(), marker.attempt()))
                        .ifPresent(marked::add);
            }
        }
        return marked;
    }

    private List<ScannedProcess> scan(Predicate<CachedProcess> filter) throws IOException {
        lock.lock();
        try {
            if (reapers.isEmpty()) {
                reapers = ancestors(ProcessHandle.current().pid());
            }
            cached = merge(list());
            var seen = new ArrayList<ScannedProcess>();
            for (var entry : cached) {
                if (filter.test(entry)) {
                    Proc.statIfVisible(entry.pid)
                            .filter(stat -> stat.startTick() == entry.startTick)
                            .ifPresent(stat -> seen.add(new ScannedProcess(stat, entry)));
                }
            }
            return seen;
        } finally {
            lock.unlock();
        }
    }

    /** Those of these pids that exist, including zombies. */
    List<ScannedProcess> withPids(List<Long> pids) throws IOException {
        var seen = new ArrayList<ScannedProcess>();
        for (var pid : pids) {
            Proc.statIfVisible(pid)
                    .ifPresent(
                            stat ->
                                    seen.add(
                                            new ScannedProcess(
                                                    stat, new CachedProcess(stat.pid(), 0))));
        }
        return seen;
    }

    private static List<CachedProcess> list() throws IOException {
        var entries = new ArrayList<CachedProcess>();
        NumberedEntries.list("/proc", (pid, inode) -> entries.add(new CachedProcess(pid, inode)));
        return entries;
    }

    /** Keeps the known entries that still exist, and reads the others. */
    private List<CachedProcess> merge(List<CachedProcess> listed) throws IOException {
        var merged = new ArrayList<CachedProcess>(listed.size());
        var next = 0;
        for (var entry : listed) {
            while (next < cached.size() && cached.get(next).pid < entry.pid) {
                next++;
            }
            if (next < cached.size() && cached.get(next).isSame(entry)) {
                merged.add(cached.get(next));
            } else {
                var stat = Proc.statIfVisible(entry.pid);
                if (stat.isPresent()) {
                    entry.startTick = stat.get().startTick();
                    merged.add(entry);
                }
            }
        }
        return merged;
    }

    /** A process that existed at the time of the scan. */
    record ScannedProcess(ProcessStat stat, CachedProcess entry) {

        /** True if its environment was empty when the marker was read. */
        boolean wasEnvironmentEmpty() {
            return entry.isBlank;
        }
    }

    /**
     * The attempt that the process's environment names. A marker of this home is cached: a process
     * may get a marker when it loads another program, but never changes to another attempt. A
     * marker of another home is not cached, because a server that runs inside a task of another
     * home starts tasks of its own.
     */
    Optional<Marker> marker(ScannedProcess seen) {
        var entry = seen.entry();
        if (entry.marker != null) {
            return Optional.of(entry.marker);
        }
        var variable = Proc.variable(entry.pid, Marker.VARIABLE);
        entry.isBlank = variable.isEnvironmentEmpty();
        var found = variable.value().flatMap(Marker::parse);
        if (found.isPresent() && found.get().homeId().equals(home)) {
            entry.marker = found.get();
        }
        return found;
    }

    /** The cached data of one process. */
    static final class CachedProcess {
        private final long pid;
        private final long inode;
        private long startTick;
        private volatile @Nullable Marker marker;
        private volatile boolean isBlank;

        private CachedProcess(long pid, long inode) {
            this.pid = pid;
            this.inode = inode;
        }

        private boolean isOfOtherThan(Marker own) {
            return marker != null && !marker.equals(own);
        }

        private boolean isSame(CachedProcess other) {
            return pid == other.pid && inode == other.inode;
        }
    }
}
