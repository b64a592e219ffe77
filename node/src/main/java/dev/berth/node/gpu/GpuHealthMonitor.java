package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.port.Fact;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Detects GPUs that have become unreliable, and tests whether they work again. It reads their
 * health every ten seconds, and every second while a test runs, but only after the driver has
 * answered a normal reading: a driver that hangs gets no further requests.
 */
final class GpuHealthMonitor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(GpuHealthMonitor.class);

    private static final Duration USUAL_INTERVAL = Duration.ofSeconds(10);
    private static final Duration TEST_INTERVAL = Duration.ofSeconds(1);
    private static final Duration TEST_TIMEOUT = Duration.ofSeconds(20);

    private final String node;
    private final GpuSettings.FaultHandling settings;
    private final GpuProbe probe;
    private final HealthProbe health;
    private final String cuda;
    private final LongSupplier clock;
    private final XidListener xidListener = new XidReports();
    private final ExecutorService healthExecutor =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("gpu-health").daemon().factory());

    private final ReentrantLock lock = new ReentrantLock();
    // The fields below are guarded by the lock.
    private final FaultDetector faultDetector = new FaultDetector();
    private final SortedMap<String, GpuRecovery> recoveries = new TreeMap<>();
    private final SortedMap<String, GpuTestRun> testRuns = new TreeMap<>();
    private Consumer<Fact> facts = _ -> {};
    private Optional<KernelLog> kernelLog = Optional.empty();
    private boolean isReadPending;
    private boolean isRefusalLogged;
    private boolean isClosed;
    private long nextReadAt;

    /**
     * @param cuda the CUDA library that the built-in test loads
     * @param clock monotonic, in nanoseconds
     */
    GpuHealthMonitor(
            String node,
            GpuSettings.FaultHandling settings,
            GpuProbe probe,
            String cuda,
            LongSupplier clock) {
        this.node = node;
        this.settings = settings;
        this.probe = probe;
        this.health = probe.health();
        this.cuda = cuda;
        this.clock = clock;
        this.nextReadAt = clock.getAsLong();
    }

    void reportTo(Consumer<Fact> sink) {
        lock.lock();
        try {
            facts = sink;
            if (hasHardware()) {
                probe.reportXidsTo(xidListener);
                kernelLog = KernelLog.follow(settings.kernelLog(), xidListener);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasHardware() {
        return !probe.isImmediate();
    }

    // Reading the health.

    /**
     * A reading of the GPUs has been completed.
     *
     * @param hasAnswer the driver answered
     */
    void onReading(List<GpuState> states, boolean hasAnswer, long requestedAt, long now) {
        lock.lock();
        try {
            for (var recovery : recoveries.values()) {
                var state =
                        states.stream()
                                .filter(candidate -> candidate.gpu().id().equals(recovery.gpu()))
                                .findFirst();
                recovery.onReading(state, requestedAt, now);
            }
            if (hasHardware()
                    && hasAnswer
                    && !isReadPending
                    && !isClosed
                    && now - nextReadAt >= 0) {
                isReadPending = true;
                healthExecutor.execute(this::readHealth);
            }
            advanceTests(now);
        } finally {
            lock.unlock();
        }
    }

    /** Called regularly, also while the driver does not answer. */
    void tick(long now) {
        lock.lock();
        try {
            advanceTests(now);
        } finally {
            lock.unlock();
        }
    }

    /** True while a health request is pending. */
    boolean isReadPending() {
        lock.lock();
        try {
            return isReadPending;
        } finally {
            lock.unlock();
        }
    }

    /** Runs on a thread of its own, because the driver may hang. */
    private void readHealth() {
        long startedAt = clock.getAsLong();
        try {
            var answers = health.read();
            lock.lock();
            try {
                faultDetector
                        .onHealth(answers, startedAt, clock.getAsLong())
                        .forEach(this::reportFault);
                isRefusalLogged &= answers.isEmpty();
            } finally {
                lock.unlock();
            }
        } catch (ProbeFailure failure) {
            logRefusal(failure.why());
        } catch (RuntimeException defect) {
            log.error("reading the health of the GPUs failed", defect);
        } finally {
            scheduleNext(startedAt);
        }
    }

    private void logRefusal(String why) {
        lock.lock();
        try {
            if (!isRefusalLogged) {
                log.info("the health of the GPUs cannot be read: {}", why);
                isRefusalLogged = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void scheduleNext(long startedAt) {
        lock.lock();
        try {
            isReadPending = false;
            nextReadAt =
                    startedAt + (recoveries.isEmpty() ? USUAL_INTERVAL : TEST_INTERVAL).toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** Called by the threads that read the driver's error reports. */
    private final class XidReports implements XidListener {
        @Override
        public void onXid(String uuid, int number) {
            lock.lock();
            try {
                faultDetector
                        .onXid(uuid, number, clock.getAsLong())
                        .ifPresent(GpuHealthMonitor.this::reportFault);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void onXid(PciAddress address, int number) {
            lock.lock();
            try {
                var uuid = faultDetector.uuidAt(address);
                if (uuid.isPresent()) {
                    onXid(uuid.get(), number);
                } else {
                    log.warn("Xid {} at PCI {}, which is no GPU known to Berth", number, address);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private void reportFault(FaultDetector.DetectedFault fault) {
        log.warn("gpu={} is unreliable: {}", fault.uuid(), fault.why());
        var recovery = recoveries.get(fault.uuid());
        if (recovery != null) {
            recovery.addProblem(fault.why());
        }
        facts.accept(
                new Fact.GpuFaultFound(new GpuId(node, fault.uuid()), fault.kind(), fault.why()));
    }

    // Testing a GPU before it returns to use.

    /** Starts a test, unless one is running for this GPU. */
    void startTest(GpuId gpu) {
        lock.lock();
        try {
            long now = clock.getAsLong();
            if (!recoveries.containsKey(gpu.uuid())) {
                recoveries.put(gpu.uuid(), new GpuRecovery(gpu, settings.recoveryTime(), now));
                nextReadAt = now;
            }
        } finally {
            lock.unlock();
        }
    }

    private void advanceTests(long now) {
        for (var recovery : List.copyOf(recoveries.values())) {
            var uuid = recovery.gpu().uuid();
            switch (recovery.next(faultDetector.problem(uuid, recovery.startedAt()), now)) {
                case GpuRecovery.RecoveryStep.Wait _ -> {}
                case GpuRecovery.RecoveryStep.StartTestRun(int index, int round) ->
                        runTest(recovery, index, round);
                case GpuRecovery.RecoveryStep.Passed _ -> endTest(recovery, Optional.empty());
                case GpuRecovery.RecoveryStep.Failed(var why) ->
                        endTest(recovery, Optional.of(why));
            }
        }
    }

    private void endTest(GpuRecovery recovery, Optional<String> failure) {
        var uuid = recovery.gpu().uuid();
        recoveries.remove(uuid);
        faultDetector.reset(uuid);
        log.info("gpu={} was tested: {}", uuid, failure.orElse("it works"));
        facts.accept(new Fact.GpuTested(recovery.gpu(), failure));
    }

    /** A simulated GPU always passes. */
    private void runTest(GpuRecovery recovery, int index, int round) {
        if (!hasHardware()) {
            recovery.testEnded(round, Optional.empty());
            advanceTests(clock.getAsLong());
            return;
        }
        if (isClosed) {
            return;
        }
        var uuid = recovery.gpu().uuid();
        var testRun = new GpuTestRun(settings.testCommand(), cuda, TEST_TIMEOUT);
        testRuns.put(uuid, testRun);
        Thread.ofPlatform()
                .name("gpu-test")
                .daemon()
                .start(() -> testEnded(recovery, round, testRun.run(uuid, index)));
    }

    private void testEnded(GpuRecovery recovery, int round, Optional<String> failure) {
        lock.lock();
        try {
            testRuns.remove(recovery.gpu().uuid());
            if (!isClosed) {
                recovery.testEnded(round, failure);
                advanceTests(clock.getAsLong());
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            recoveries.clear();
            testRuns.values().forEach(GpuTestRun::close);
            kernelLog.ifPresent(KernelLog::close);
        } finally {
            lock.unlock();
        }
        healthExecutor.shutdownNow();
        health.close();
    }
}
