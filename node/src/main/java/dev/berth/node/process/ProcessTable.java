package dev.berth.node.process;

import dev.berth.node.linux.NumberedEntries;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * All processes of this host, looked at again and again: at every end of an attempt, so cheaply. Of
 * a process seen before only the number of its directory in {@code /proc} is read. The kernel draws
 * that number when it makes the directory, from a counter, so a pid that has gone to another
 * process comes with another number; under memory pressure the same process may get a new one, and
 * is merely read again. So {@code (pid, number)} tells a process for as long as we remember it,
 * however the pids went round, and its start tick never changes.
 */
public final class ProcessTable {
    private static final long INIT = 1;

    private final String home;

    /** Found at the first look. */
    private volatile Set<Long> reapers = Set.of();

    private final ReentrantLock lock = new ReentrantLock();

    /** In the order of pids, as the kernel lists them. */
    private List<Entry> known = List.of();

    /**
     * @param home whose attempts are looked for
     */
    public ProcessTable(String home) {
        this.home = home;
    }

    /**
     * Who may become the parent of what our children leave behind: the kernel looks for one among
     * the ancestors.
     */
    boolean isReaper(long pid) {
        return reapers.contains(pid);
    }

    private static Set<Long> ancestors(long pid) throws IOException {
        var ancestors = new HashSet<Long>();
        for (var at = Proc.visible(pid); at.isPresent(); at = Proc.visible(at.get().parent())) {
            ancestors.add(at.get().parent());
        }
        ancestors.add(INIT);
        return ancestors;
    }

    /**
     * What started at this tick or later, and is still there, zombies too; less what is known to be
     * of another attempt of this home.
     */
    List<Seen> startedSince(long tick, Marker own) throws IOException {
        return seen(entry -> entry.startTick >= tick && !entry.isOfOtherThan(own));
    }

    /** The attempts of this home that living processes come from, by their markers. */
    public SortedSet<String> attempts() throws IOException {
        var attempts = new TreeSet<String>();
        var self = ProcessHandle.current().pid();
        for (var seen : seen(entry -> entry.pid != self)) {
            if (seen.stat().isAlive()) {
                marker(seen)
                        .filter(marker -> marker.home().equals(home))
                        .ifPresent(marker -> attempts.add(marker.attempt()));
            }
        }
        return attempts;
    }

    private List<Seen> seen(Predicate<Entry> wanted) throws IOException {
        lock.lock();
        try {
            if (reapers.isEmpty()) {
                reapers = ancestors(ProcessHandle.current().pid());
            }
            known = merge(list());
            var seen = new ArrayList<Seen>();
            for (var entry : known) {
                if (wanted.test(entry)) {
                    Proc.visible(entry.pid)
                            .filter(stat -> stat.startTick() == entry.startTick)
                            .ifPresent(stat -> seen.add(new Seen(stat, entry)));
                }
            }
            return seen;
        } finally {
            lock.unlock();
        }
    }

    /** Of these pids what is there, zombies too. */
    List<Seen> among(List<Long> pids) throws IOException {
        var seen = new ArrayList<Seen>();
        for (var pid : pids) {
            Proc.visible(pid).ifPresent(stat -> seen.add(new Seen(stat, new Entry(stat.pid(), 0))));
        }
        return seen;
    }

    private static List<Entry> list() throws IOException {
        var entries = new ArrayList<Entry>();
        NumberedEntries.list("/proc", (pid, inode) -> entries.add(new Entry(pid, inode)));
        return entries;
    }

    /** Keeps what is known of those still there, and reads the others. */
    private List<Entry> merge(List<Entry> listed) throws IOException {
        var merged = new ArrayList<Entry>(listed.size());
        var next = 0;
        for (var entry : listed) {
            while (next < known.size() && known.get(next).pid < entry.pid) {
                next++;
            }
            if (next < known.size() && known.get(next).isSame(entry)) {
                merged.add(known.get(next));
            } else {
                var stat = Proc.visible(entry.pid);
                if (stat.isPresent()) {
                    entry.startTick = stat.get().startTick();
                    merged.add(entry);
                }
            }
        }
        return merged;
    }

    /** A process that was there when the table was read. */
    record Seen(ProcessStat stat, Entry entry) {

        /** When its marker was looked for there was no environment to read. */
        boolean wasBlank() {
            return entry.isBlank;
        }
    }

    /**
     * The attempt that the process's environment names. One of this home is not read again: a
     * process may come to carry a marker by loading another program, but none goes over to another
     * attempt. One of another home may: a server that runs inside another's task starts tasks of
     * its own.
     */
    Optional<Marker> marker(Seen seen) {
        var entry = seen.entry();
        if (entry.marker != null) {
            return Optional.of(entry.marker);
        }
        var variable = Proc.variable(entry.pid, Marker.VARIABLE);
        entry.isBlank = variable.isBlank();
        var found = variable.value().flatMap(Marker::parse);
        if (found.isPresent() && found.get().home().equals(home)) {
            entry.marker = found.get();
        }
        return found;
    }

    /** What is remembered of one process. */
    static final class Entry {
        private final long pid;
        private final long inode;
        private long startTick;
        private volatile @Nullable Marker marker;
        private volatile boolean isBlank;

        private Entry(long pid, long inode) {
            this.pid = pid;
            this.inode = inode;
        }

        private boolean isOfOtherThan(Marker own) {
            return marker != null && !marker.equals(own);
        }

        private boolean isSame(Entry other) {
            return pid == other.pid && inode == other.inode;
        }
    }
}
