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
 * Ends a process set: sends TERM, and KILL after the grace time. It scans until two scans in a row
 * found nothing, because a process may start another one during a scan. The shim gets no TERM: it
 * ends by itself when its command has ended, and writes the exit record. After the grace time it is
 * killed with the rest.
 */
public final class Sweep {
    private static final int EMPTY_SCANS = 2;
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private final Signals signals;
    private final LongSupplier nanoTime;
    private final SignalListener listener;

    /** Called before each signal is sent. */
    @FunctionalInterface
    public interface SignalListener {
        /**
         * @param attempt whose processes are ended
         */
        void onSignal(String attempt, ProcessKey process, Signal signal);
    }

    /**
     * @param nanoTime a monotonic clock
     */
    public Sweep(Signals signals, LongSupplier nanoTime) {
        this(signals, nanoTime, (_, _, _) -> {});
    }

    public Sweep(Signals signals, LongSupplier nanoTime, SignalListener listener) {
        this.signals = signals;
        this.nanoTime = nanoTime;
        this.listener = listener;
    }

    /** Returns when no process is left, or when the time limit after KILL has passed. */
    public Report run(ProcessSet set, SweepLimits limits) throws IOException, InterruptedException {
        return new SweepRun(set, limits).run();
    }

    private final class SweepRun {
        private final ProcessSet set;
        private final SweepLimits limits;
        private final long begin = nanoTime.getAsLong();
        private final Set<ProcessKey> terminated = new HashSet<>();
        private final Map<ProcessKey, Member> ended = new LinkedHashMap<>();

        SweepRun(ProcessSet set, SweepLimits limits) {
            this.set = set;
            this.limits = limits;
        }

        Report run() throws IOException, InterruptedException {
            var pause = SHORTEST_PAUSE;
            var emptyScans = 0;
            while (true) {
                var view = set.scan();
                emptyScans = view.isEmpty() ? emptyScans + 1 : 0;
                if (emptyScans == EMPTY_SCANS) {
                    return report(view, List.of());
                }
                if (!view.isEmpty()) {
                    var elapsed = Duration.ofNanos(nanoTime.getAsLong() - begin);
                    if (elapsed.compareTo(limits.termGrace().plus(limits.killTimeout())) >= 0) {
                        return report(view, view.members());
                    }
                    end(view.members(), elapsed.compareTo(limits.termGrace()) >= 0);
                    pause(pause);
                    pause = Math.min(pause * 2, MAX_PAUSE);
                }
            }
        }

        private void end(List<Member> members, boolean isGraceOver) throws IOException {
            for (var member : members) {
                ended.put(member.key(), member);
                if (isGraceOver) {
                    send(member.key(), Signal.KILL);
                } else if (!member.isShim() && terminated.add(member.key())) {
                    send(member.key(), Signal.TERM);
                    if (member.isStopped()) {
                        send(member.key(), Signal.CONT);
                    }
                }
            }
        }

        private void send(ProcessKey process, Signal signal) throws IOException {
            listener.onSignal(set.attempt(), process, signal);
            signals.send(process, signal);
        }

        private Report report(ProcessSet.ScanResult last, List<Member> stuck) {
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
     * @param termGrace time between TERM and KILL
     * @param killTimeout time after the first KILL before the sweep gives up
     */
    public record SweepLimits(Duration termGrace, Duration killTimeout) {
        public static final Duration KILL_TIMEOUT = Duration.ofSeconds(60);
    }

    /**
     * @param ended processes that existed and are gone, without the shim
     * @param spared processes that were left running on purpose
     * @param stuck processes that survived KILL; empty if the sweep succeeded
     */
    public record Report(List<Member> ended, List<Spared> spared, List<Member> stuck) {
        public Report {
            ended = List.copyOf(ended);
            spared = List.copyOf(spared);
            stuck = List.copyOf(stuck);
        }
    }
}
