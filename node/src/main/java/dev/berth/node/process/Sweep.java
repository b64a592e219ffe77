package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Signal;
import dev.berth.node.process.ProcessSet.Member;
import dev.berth.node.process.ProcessSet.Spared;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Ends a process set: TERM, then after the grace time KILL, and looks again until two looks in a
 * row found nothing, because a process may start another while it is being looked at. The shim is
 * not asked to end, it does when its command has, and writes down how; it is killed with the rest
 * when the grace time is over.
 */
public final class Sweep {
    private static final int EMPTY_LOOKS = 2;
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private final Signals signals;
    private final LongSupplier nanoTime;

    /**
     * @param nanoTime a clock that only goes forward
     */
    public Sweep(Signals signals, LongSupplier nanoTime) {
        this.signals = signals;
        this.nanoTime = nanoTime;
    }

    /** Returns when nothing is left, or when it has to give up. */
    public Report run(ProcessSet set, Limits limits) throws IOException, InterruptedException {
        return new Course(set, limits).run();
    }

    private final class Course {
        private final ProcessSet set;
        private final Limits limits;
        private final long begin = nanoTime.getAsLong();
        private final Set<ProcessKey> asked = new HashSet<>();
        private final Map<ProcessKey, Member> ended = new LinkedHashMap<>();

        Course(ProcessSet set, Limits limits) {
            this.set = set;
            this.limits = limits;
        }

        Report run() throws IOException, InterruptedException {
            var pause = SHORTEST_PAUSE;
            var emptyLooks = 0;
            while (true) {
                var view = set.look();
                emptyLooks = view.isEmpty() ? emptyLooks + 1 : 0;
                if (emptyLooks == EMPTY_LOOKS) {
                    return report(view, List.of());
                }
                if (!view.isEmpty()) {
                    var elapsed = Duration.ofNanos(nanoTime.getAsLong() - begin);
                    if (elapsed.compareTo(limits.grace().plus(limits.patience())) >= 0) {
                        return report(view, view.members());
                    }
                    end(view.members(), elapsed.compareTo(limits.grace()) >= 0);
                    pause(pause);
                    pause = Math.min(pause * 2, LONGEST_PAUSE);
                }
            }
        }

        private void end(List<Member> members, boolean isGraceOver) throws IOException {
            for (var member : members) {
                ended.put(member.key(), member);
                if (isGraceOver) {
                    signals.send(member.key(), Signal.KILL);
                } else if (!member.isShim() && asked.add(member.key())) {
                    signals.send(member.key(), Signal.TERM);
                    if (member.isStopped()) {
                        signals.send(member.key(), Signal.CONT);
                    }
                }
            }
        }

        private Report report(ProcessSet.View last, List<Member> stuck) {
            stuck.forEach(member -> ended.remove(member.key()));
            return new Report(
                    ended.values().stream().filter(member -> !member.isShim()).toList(),
                    last.spared(),
                    stuck);
        }
    }

    private static void pause(long nanos) throws InterruptedException {
        LockSupport.parkNanos(nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while ending processes");
        }
    }

    /**
     * @param grace between TERM and KILL
     * @param patience how long after the first KILL it gives up
     */
    public record Limits(Duration grace, Duration patience) {
        public static final Duration PATIENCE = Duration.ofSeconds(60);
    }

    /**
     * @param ended what was there and is no more, the shim aside
     * @param spared what was left alone
     * @param stuck what outlived KILL; empty when the set is
     */
    public record Report(List<Member> ended, List<Spared> spared, List<Member> stuck) {
        public Report {
            ended = List.copyOf(ended);
            spared = List.copyOf(spared);
            stuck = List.copyOf(stuck);
        }
    }
}
