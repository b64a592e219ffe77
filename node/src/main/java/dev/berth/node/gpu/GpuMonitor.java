package dev.berth.node.gpu;

import static java.util.stream.Collectors.toSet;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Refusal;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.Shape;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.process.SearchPath;
import dev.berth.node.worker.CallUses;
import dev.berth.port.Fact;
import dev.berth.port.Fact.Departure;
import dev.berth.port.Node;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads the GPUs once a second, and ten times a second while an ended attempt may still be on its
 * GPUs or a task in a lane waits for one. A reading also starts immediately when an attempt ends.
 * At most one request to the probe is pending, and no other thread blocks on it: if an answer does
 * not come, the GPUs become unknown, with no other effect.
 */
public final class GpuMonitor implements CallUses, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(GpuMonitor.class);

    private static final Duration USUAL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration SHORT_INTERVAL = Duration.ofMillis(100);

    /**
     * A request pending for less than this may still be answered. After the host was suspended, the
     * first step is a new request.
     */
    private static final Duration ANSWER_TIMEOUT = Duration.ofMillis(500);

    /** While a lane waits, reading takes at most a fifth of the time. */
    private static final int PAUSE_PER_READING = 5;

    private static final Duration FIRST_ANSWER_TIMEOUT = Duration.ofSeconds(3);

    private final String node;
    private final GpuSettings settings;
    private final NodeAttempts attempts = new NodeAttempts();
    private final ProcessOwners processOwners;
    private final GpuProbe probe;
    private final GpuHealthMonitor healthMonitor;
    private final GpuUseStore useStore;
    private final CountDownLatch firstAnswer = new CountDownLatch(1);
    private final ExecutorService probeExecutor =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("gpu-probe").daemon().factory());
    private final Thread ticker =
            Thread.ofPlatform().name("gpu-monitor").daemon().unstarted(this::tick);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // The fields below are guarded by the lock.
    private final GpuStates states;
    private final PendingReleases pendingReleases = new PendingReleases();
    private final GpuUseTracker useTracker = new GpuUseTracker(attempts);
    private Consumer<Fact> facts = _ -> {};
    private Optional<Fact.GpusRead> reported = Optional.empty();
    private boolean isReadPending;
    private boolean isReadingOften;
    private boolean isClosed;
    private boolean isPoolChecked;
    private long nextAt;
    private long startedAt;

    private GpuMonitor(
            String node,
            String home,
            GpuSettings settings,
            GpuUseStore useStore,
            Optional<OwnerCheck> ownerCheck)
            throws IOException {
        this.node = node;
        this.settings = settings;
        this.processOwners = new ProcessOwners(home, attempts, ownerCheck);
        this.probe = Probes.open(settings, attempts, SearchPath.of(System.getenv()));
        this.healthMonitor =
                new GpuHealthMonitor(
                        node,
                        settings.faultHandling(),
                        probe,
                        GpuTestRun.DEFAULT_LIBRARY,
                        System::nanoTime);
        this.useStore = useStore;
        this.states = new GpuStates(node, System.nanoTime());
        this.nextAt = System.nanoTime();
    }

    /**
     * @param home marker of the processes of this home's attempts
     * @param files the file in which an attempt's GPU use is kept
     * @param ownerCheck empty if all tasks run as the user of this process
     */
    public static GpuMonitor open(
            String node,
            String home,
            GpuSettings settings,
            Function<AttemptId, Path> files,
            Optional<OwnerCheck> ownerCheck)
            throws IOException {
        return new GpuMonitor(node, home, settings, new GpuUseStore(files), ownerCheck);
    }

    /** Name of the probe, for users. */
    public String probeName() {
        return probe.name();
    }

    /** Returns after the first answer, or when it is late. */
    public void reportTo(Consumer<Fact> sink) {
        lock.lock();
        try {
            facts = sink;
        } finally {
            lock.unlock();
        }
        healthMonitor.reportTo(sink);
        ticker.start();
        try {
            if (!firstAnswer.await(FIRST_ANSWER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("the GPUs have not been read yet: {} is slow", probe.name());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    // Attempts start and end.

    public void assign(Attempt attempt) {
        attempts.assign(attempt);
        if (attempt.phase().shimProcess().isPresent() && !attempt.claims().isEmpty()) {
            var earlier = useStore.read(attempt.id());
            lock.lock();
            try {
                earlier.ifPresent(it -> useTracker.resume(attempt.id(), it, System.nanoTime()));
            } finally {
                lock.unlock();
            }
        }
    }

    public void started(AttemptId attempt, ShimProcess run) {
        attempts.started(attempt, run);
    }

    /** The GPU use of an attempt up to now, while it is still on its GPUs. */
    public Optional<GpuConsumption> consumption(AttemptId attempt) {
        lock.lock();
        try {
            return useTracker.useOf(attempt, System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void callStarted(AttemptId call, AttemptId worker) {
        attempts.callStarted(call, worker);
    }

    @Override
    public Optional<GpuConsumption> callEnded(AttemptId call) {
        attempts.callEnded(call);
        lock.lock();
        try {
            var use = useTracker.useOf(call, System.nanoTime());
            useTracker.remove(call);
            return use;
        } finally {
            lock.unlock();
        }
    }

    /** Tests whether a GPU works again. The result is reported as {@link Fact.GpuTested}. */
    public void test(GpuId gpu) {
        healthMonitor.startTest(gpu);
    }

    /** The reason why the GPUs of this order can no longer be used, by the latest reading. */
    public Optional<Refusal> refusal(Node.Launch launch) {
        var shape = Shape.of(launch.spec());
        var planner = new Planner(launch.terms().rules());
        lock.lock();
        try {
            return launch.gpus().stream()
                    .map(gpu -> states.state(gpu.id()))
                    .flatMap(Optional::stream)
                    .map(state -> attempts.view(state, launch.attempt().id()))
                    .map(view -> planner.refusal(shape, view, launch.terms().isForced()))
                    .flatMap(Optional::stream)
                    .findFirst();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Call when no process of the attempt is left on the host. Returns true if the attempt is off
     * its GPUs too. If not, call {@link #awaitRelease} after its end was reported.
     */
    public boolean release(AttemptId attempt, boolean hasRun) {
        var holder = attempts.find(attempt);
        var claims = holder.map(NodeAttempts.NodeAttempt::claims).orElse(List.of());
        boolean hasReleased = !hasRun || claims.isEmpty();
        if (!hasReleased && !probe.isImmediate()) {
            return false;
        }
        var _ = attempts.remove(attempt);
        attempts.left(attempt);
        lock.lock();
        try {
            useTracker.remove(attempt);
            if (probe.isImmediate() && states.showsProcessOf(attempt, claims)) {
                readOnly(claims);
            }
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Reads immediately and then often, until no GPU shows the attempt. */
    public void awaitRelease(AttemptId attempt) {
        var claims =
                attempts.remove(attempt).map(NodeAttempts.NodeAttempt::claims).orElse(List.of());
        lock.lock();
        try {
            useTracker.remove(attempt);
            pendingReleases.add(attempt, claims, states, System.nanoTime());
            nextAt = System.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // Reading.

    private void tick() {
        lock.lock();
        try {
            while (!isClosed) {
                long now = System.nanoTime();
                if (!isReadPending && now - nextAt >= 0) {
                    startReading(now);
                }
                if (isReadPending && now - startedAt >= ANSWER_TIMEOUT.toNanos()) {
                    states.onSilence(probe.name(), now);
                    report(List.of());
                }
                healthMonitor.tick(now);
                long pause = isReadPending ? SHORT_INTERVAL.toNanos() : Math.max(1, nextAt - now);
                var _ = changed.awaitNanos(pause);
            }
        } catch (InterruptedException _) {
            log.debug("the GPU monitoring has ended");
        } finally {
            lock.unlock();
        }
    }

    private void startReading(long now) {
        if (probe.isImmediate()) {
            read(now);
        } else {
            isReadPending = true;
            startedAt = now;
            probeExecutor.execute(() -> read(now));
        }
    }

    /** Runs on a thread of its own if the driver may hang. */
    private void read(long startedAt) {
        try {
            var rows = processOwners.withOwners(probe.read());
            apply(startedAt, now -> states.onAnswer(rows, now));
        } catch (ProbeFailure failure) {
            apply(startedAt, now -> states.onFailure(failure.why(), now));
        } catch (RuntimeException defect) {
            log.error("reading the GPUs failed", defect);
            apply(startedAt, now -> states.onFailure("reading them failed: " + defect, now));
        }
    }

    /** An end changes the GPUs of its attempt: with many GPUs, reading all would cost more. */
    private void readOnly(List<Claim> claims) {
        var wanted = claims.stream().map(claim -> claim.gpu().uuid()).collect(toSet());
        try {
            states.onPartialAnswer(probe.read(wanted::contains), System.nanoTime());
            report(List.of());
        } catch (ProbeFailure failure) {
            throw new IllegalStateException("a probe that answers immediately failed", failure);
        }
    }

    /** Applies an answer to the states of the GPUs. */
    private interface Update {
        void apply(long now);
    }

    private void apply(long startedAt, Update update) {
        lock.lock();
        try {
            long now = System.nanoTime();
            update.apply(now);
            var departures = pendingReleases.findReleased(states, startedAt, now);
            departures.forEach(departure -> attempts.left(departure.attempt()));
            report(departures);
            useTracker.onReading(states.states(), now);
            if (!isClosed) {
                useStore.save(useTracker.dueForSave(GpuUseTracker.SAVE_INTERVAL, now));
            }
            healthMonitor.onReading(
                    states.states(), states.readFailure().isEmpty(), startedAt, now);
            isReadPending = false;
            nextAt =
                    pendingReleases.hasEndedAfter(startedAt)
                            ? now
                            : startedAt + interval(startedAt, now).toNanos();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        firstAnswer.countDown();
        warnOfMissingGpus();
    }

    private Duration interval(long startedAt, long now) {
        if (pendingReleases.hasRecent(now)) {
            return SHORT_INTERVAL;
        }
        if (!isReadingOften) {
            return USUAL_INTERVAL;
        }
        // A lane may wait all night, and starting a program for each reading is expensive.
        var scaled = Duration.ofNanos((now - startedAt) * PAUSE_PER_READING);
        return scaled.compareTo(SHORT_INTERVAL) < 0
                ? SHORT_INTERVAL
                : scaled.compareTo(USUAL_INTERVAL) > 0 ? USUAL_INTERVAL : scaled;
    }

    /** Reads ten times a second while the load of the last second decides which task gets a GPU. */
    public void readOften(boolean isOften) {
        lock.lock();
        try {
            isReadingOften = isOften;
            if (isOften) {
                nextAt = System.nanoTime();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reports only changes. Called with the lock held, so that facts have the order of the
     * readings.
     */
    private void report(List<Departure> departures) {
        var now = new Fact.GpusRead(node, states.states(), List.of(), states.readFailure());
        if (reported.isPresent() && reported.get().equals(now) && departures.isEmpty()) {
            return;
        }
        logChange(reported.flatMap(Fact.GpusRead::readFailure), now.readFailure());
        reported = Optional.of(now);
        facts.accept(new Fact.GpusRead(node, now.gpus(), departures, now.readFailure()));
    }

    private static void logChange(Optional<String> before, Optional<String> now) {
        if (before.isEmpty() && now.isPresent()) {
            log.warn("the GPUs cannot be read, nothing starts on them: {}", now.get());
        } else if (before.isPresent() && now.isEmpty()) {
            log.info("the GPUs can be read again");
        }
    }

    /** Runs once, after the driver has listed its GPUs. */
    private void warnOfMissingGpus() {
        lock.lock();
        try {
            if (!isPoolChecked && states.readFailure().isEmpty()) {
                isPoolChecked = true;
                var absent = settings.rules().pool().missingFrom(new TreeSet<>(states.indices()));
                if (!absent.isEmpty()) {
                    log.warn(
                            "gpu_ids or reserved_gpu_ids name GPUs that this node does not have:"
                                    + " {}",
                            absent);
                }
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
            changed.signalAll();
            useStore.save(useTracker.dueForSave(Duration.ZERO, System.nanoTime()));
        } finally {
            lock.unlock();
        }
        useStore.close();
        healthMonitor.close();
        probe.close();
        probeExecutor.shutdownNow();
    }
}
