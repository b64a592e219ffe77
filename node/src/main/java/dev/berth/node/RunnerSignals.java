package dev.berth.node;

import dev.berth.core.task.ShimProcess;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.shim.ConnectedShim;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import java.util.function.ObjIntConsumer;

/**
 * The signals for which the thread of an attempt waits. While it waits for the end of a command,
 * the thread that learns of the end reports it in its place: to wake the attempt's thread first
 * would delay the next task.
 */
final class RunnerSignals implements ConnectedShim.Listener {

    private static final Duration LONG = Duration.ofDays(1);

    private final BlockingQueue<RunnerSignal> queue = new LinkedBlockingQueue<>();
    private final IntPredicate isReportedAtOnce;
    private final ObjIntConsumer<ShimProcess> report;

    /** Present while the attempt's thread waits, and nobody else reports the end. */
    private final AtomicReference<Optional<ShimProcess>> awaited =
            new AtomicReference<>(Optional.empty());

    /**
     * @param isReportedAtOnce whether a report of this exit code cannot block its thread
     * @param report reports the exit code
     */
    RunnerSignals(IntPredicate isReportedAtOnce, ObjIntConsumer<ShimProcess> report) {
        this.isReportedAtOnce = isReportedAtOnce;
        this.report = report;
    }

    void add(RunnerSignal signal) {
        queue.add(signal);
    }

    /** Removes what an earlier watch of the shim has added. */
    void removeEnds() {
        queue.removeIf(RunnerSignal::isEnd);
    }

    /**
     * The next signal.
     *
     * @return null if none has come after this time
     */
    @Nullable RunnerSignal poll(Duration time) throws InterruptedException {
        return queue.poll(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The same while the command of this shim may end. */
    @Nullable RunnerSignal poll(ShimProcess process, Duration time) throws InterruptedException {
        awaited.set(Optional.of(process));
        var signal = poll(time);
        if (awaited.getAndSet(Optional.empty()).isPresent()) {
            return signal;
        }
        while (!(signal instanceof RunnerSignal.EndReported)) {
            signal = queue.take();
        }
        return signal;
    }

    /** The next signal, however long that takes. */
    RunnerSignal take(ShimProcess process) throws InterruptedException {
        while (true) {
            var signal = poll(process, LONG);
            if (signal != null) {
                return signal;
            }
        }
    }

    @Override
    public void commandEnded(int code) {
        var process = awaited.get();
        if (process.isEmpty()
                || !isReportedAtOnce.test(code)
                || !awaited.compareAndSet(process, Optional.empty())) {
            add(new RunnerSignal.CommandEnded(code));
            return;
        }
        try {
            report.accept(process.get(), code);
        } finally {
            add(new RunnerSignal.EndReported());
        }
    }

    @Override
    public void shimEnded(ExitWatcher.ProcessEnd end) {
        add(new RunnerSignal.ShimEnded(end));
    }
}
