package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessSet;
import dev.berth.node.process.Sweep;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The whole life of one attempt, in order: start, watch, end. */
final class AttemptRunner {

    private static final Logger log = LoggerFactory.getLogger(AttemptRunner.class);

    private static final Duration STUCK_PAUSE = Duration.ofSeconds(5);

    /**
     * If a task ends within this time, its start and its end are reported together, in one commit.
     */
    private static final long FIRST_POLL_MILLIS = 12;

    private static final long MAX_POLL_MILLIS = 100;
    private static final long WINDOW_DELAY_MILLIS = 400;

    private final AttemptId id;
    private final Optional<String> reportKey;
    private final NodeContext context;
    private final AttemptDirectory directory;
    private final AttemptWindow window;
    private final BlockingQueue<RunnerSignal> signals = new LinkedBlockingQueue<>();

    private Optional<Duration> timeLimit = Optional.empty();

    /** If the shim has not taken {@code go} by then, the attempt is closed with a tombstone. */
    private Duration startTimeout = Node.LaunchTerms.DEFAULT.startTimeout();

    /**
     * True once {@code go} was seen: the command may have run, even if the directory is gone later.
     */
    private boolean hasStarted;

    /** True once a stop was requested. The log of a stopped attempt is not diagnosed. */
    private volatile boolean isStopRequested;

    /** The attempt was reported as lost, and this object does nothing more. */
    private volatile boolean isLost;

    /** Events that interrupt the watching. */
    private sealed interface RunnerSignal {
        /** The shim has ended. */
        record ShimEnded(ExitWatcher.ProcessEnd end) implements RunnerSignal {}

        record Stop() implements RunnerSignal {}

        /** The shim did not start in time, and the tombstone now prevents a later start. */
        record TooLate() implements RunnerSignal {}

        /** This server is closing. The attempt keeps running. */
        record Abandon() implements RunnerSignal {}
    }

    /**
     * @param reportKey under which its script reports its own end, if it does
     */
    AttemptRunner(AttemptId id, Optional<String> reportKey, NodeContext context) {
        this.id = id;
        this.reportKey = reportKey;
        this.context = context;
        this.directory = context.directory(id);
        this.window = new AttemptWindow(id, context);
    }

    Optional<String> reportKey() {
        return reportKey;
    }

    boolean isLost() {
        return isLost;
    }

    void stop() {
        isStopRequested = true;
        signals.add(new RunnerSignal.Stop());
    }

    void detach() {
        signals.add(new RunnerSignal.Abandon());
    }

    // Starting.

    void launch(Node.Launch launch) {
        Spawner.Spawned spawned;
        Instant startedAt;
        timeLimit = launch.spec().options().timeLimit();
        startTimeout = launch.terms().startTimeout();
        try {
            var refusal = context.gpus().refusal(launch);
            if (refusal.isPresent()) {
                log.info(
                        "task={} attempt={} returns to its queue: {}",
                        id.task(),
                        id.number(),
                        refusal.get());
                end(new Ending.NeverStarted(), Optional.empty());
                return;
            }
            reachFailpoint("node.before-directory");
            new AttemptPreparation(context, directory).prepare(launch);
            reachFailpoint("node.after-directory");
            if (signals.peek() instanceof RunnerSignal.Stop && preventStart()) {
                end(new Ending.NeverStarted(), Optional.empty());
                return;
            }
            window.openIfRequired();
            startedAt = Instant.now();
            spawned = context.spawner().spawn(AttemptPreparation.spawnRequest(context, directory));
            reachFailpoint("node.after-spawn");
        } catch (IOException | RuntimeException failure) {
            log.warn(
                    "task={} attempt={} cannot be started: {}",
                    id.task(),
                    id.number(),
                    failure.toString());
            end(
                    new Ending.LaunchFailed("could not be started: " + message(failure)),
                    Optional.empty());
            window.close();
            return;
        }
        linkLatest();
        runOrLose(
                () -> {
                    var shim = Proc.key(context.bootId(), spawned.pid());
                    if (shim.isPresent()) {
                        watch(
                                new ShimProcess(shim.get(), startedAt, window.expectedSession()),
                                true);
                    } else {
                        // Where the JDK reaps the process, it may be gone already. A child of our
                        // own would still be a zombie.
                        var report = sweep(context.processSet(id, Optional.empty()));
                        end(
                                ending(Optional.of(new ExitWatcher.ProcessEnd.Unknown())),
                                Optional.of(report));
                    }
                });
    }

    /**
     * Berth throws plain IOExceptions with a complete message; for other types the class name is
     * needed.
     */
    private static String message(Exception failure) {
        var message = failure.getMessage();
        return failure.getClass() == IOException.class && message != null
                ? message
                : failure.toString();
    }

    /**
     * The links are a convenience. The attempt already runs, so a full disk that prevents them is
     * only logged.
     */
    private void linkLatest() {
        try {
            directory.linkLatest();
        } catch (IOException refused) {
            log.warn("task={} attempt={} is not linked: {}", id.task(), id.number(), refused);
        }
    }

    // Watching.

    /**
     * @param isNew its start is not confirmed and reported yet
     */
    private void watch(ShimProcess process, boolean isNew)
            throws IOException, InterruptedException {
        var shim = process.key();
        try (var _ =
                        context.exitWatcher()
                                .watch(shim, end -> signals.add(new RunnerSignal.ShimEnded(end)));
                var _ = context.storage().capLog(directory.log());
                var _ = context.progress().follow(id, directory.log())) {
            var signal = isNew ? awaitGo(process) : awaitEnd(shim);
            switch (signal) {
                case RunnerSignal.ShimEnded(var end) -> {
                    reportStart(process);
                    conclude(shim, Optional.of(end));
                }
                case RunnerSignal.Stop _ -> {
                    reachFailpoint("node.before-term");
                    preventStart();
                    conclude(shim, Optional.empty());
                }
                case RunnerSignal.TooLate _ -> {
                    var report = sweep(context.processSet(id, Optional.of(shim)));
                    var why = "did not come up within " + startTimeout.toSeconds() + " s";
                    end(new Ending.StartTimedOut(why), Optional.of(report));
                }
                case RunnerSignal.Abandon _ -> {
                    log.debug("attempt={} is left to the next server", id);
                    return;
                }
            }
        }
        window.close();
    }

    /**
     * Polls for {@code go} at growing intervals. Once the file exists, reports the start and waits
     * for the end.
     */
    private RunnerSignal awaitGo(ShimProcess process) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + startTimeout.toNanos();
        for (long pause = FIRST_POLL_MILLIS; ; pause = Math.min(2 * pause, MAX_POLL_MILLIS)) {
            var signal = signals.poll(pause, TimeUnit.MILLISECONDS);
            if (signal != null) {
                return signal;
            }
            if (reportStart(process)) {
                return awaitWithWindow(process.key());
            }
            if (System.nanoTime() > deadline && preventStart()) {
                return new RunnerSignal.TooLate();
            }
        }
    }

    /**
     * A task that ends almost at once gets no window: it would close before a user could open it.
     */
    private RunnerSignal awaitWithWindow(ProcessKey shim) throws IOException, InterruptedException {
        var signal = signals.poll(WINDOW_DELAY_MILLIS, TimeUnit.MILLISECONDS);
        if (signal != null) {
            return signal;
        }
        window.openInBackground();
        return awaitEnd(shim);
    }

    /**
     * Reports when the time limit has passed. The time counts from the start of the process by the
     * kernel's clock, so neither a server restart nor a change of the system time affects it.
     */
    private RunnerSignal awaitEnd(ProcessKey shim) throws IOException, InterruptedException {
        if (timeLimit.isPresent()) {
            for (var timeLeft = timeLeft(shim); timeLeft.isPositive(); timeLeft = timeLeft(shim)) {
                var signal = signals.poll(timeLeft.toNanos(), TimeUnit.NANOSECONDS);
                if (signal != null) {
                    return signal;
                }
            }
            context.report(new Fact.TimeLimitReached(id));
        }
        return signals.take();
    }

    private Duration timeLeft(ProcessKey shim) throws IOException {
        return timeLimit.orElseThrow().minus(Proc.age(shim));
    }

    /**
     * Reports the start once, as soon as {@code go} exists. A short task may have ended before this
     * check.
     */
    private boolean reportStart(ShimProcess process) throws IOException {
        if (!hasStarted && GoFile.read(directory.go()) instanceof GoFile.Taken) {
            hasStarted = true;
            context.gpus().started(id, process);
            context.report(new Fact.Started(id, process));
        }
        return hasStarted;
    }

    // Ending.

    /**
     * Ends all remaining processes of the attempt, however its shim ended, and reports the end when
     * none is left.
     *
     * @param end of the shim; empty if the shim is alive and has to be ended
     */
    private void conclude(ProcessKey shim, Optional<ExitWatcher.ProcessEnd> end)
            throws IOException, InterruptedException {
        var report = sweep(context.processSet(id, Optional.of(shim)));
        end(ending(end), Optional.of(report));
    }

    private Sweep.Report sweep(ProcessSet set) throws IOException, InterruptedException {
        var limits =
                new Sweep.SweepLimits(
                        context.settings().stopGrace(), Sweep.SweepLimits.KILL_TIMEOUT);
        var report = context.sweep().run(set, limits);
        while (!report.stuck().isEmpty()) {
            log.error(
                    "task={} attempt={} cannot be ended: {}",
                    id.task(),
                    id.number(),
                    report.stuck());
            context.report(new Fact.Stuck(id, LeftoverFacts.describe(report.stuck())));
            var _ = signals.poll(STUCK_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
            report =
                    context.sweep()
                            .run(
                                    set,
                                    new Sweep.SweepLimits(
                                            Duration.ZERO, Sweep.SweepLimits.KILL_TIMEOUT));
        }
        return report;
    }

    /** The exit record has the highest authority, because it is written last. */
    private Ending ending(Optional<ExitWatcher.ProcessEnd> end) throws IOException {
        if (ExitRecord.read(directory) instanceof ExitRecord.Code(int code)) {
            ExitRecord.publish(directory);
            return new Ending.Exited(code);
        }
        return switch (GoFile.read(directory.go())) {
            case GoFile.Tombstone _ -> new Ending.NeverStarted();
            // The file was removed, or the shim died before it created it; then the tombstone
            // prevents any later start.
            case GoFile.Absent _ ->
                    hasStarted || !preventStart() ? new Ending.Vanished() : launchFailed(end);
            case GoFile.Empty _, GoFile.Taken _, GoFile.Damaged _ -> new Ending.Vanished();
        };
    }

    private static Ending launchFailed(Optional<ExitWatcher.ProcessEnd> end) {
        var how =
                end.map(
                                shimEnd ->
                                        switch (shimEnd) {
                                            case ExitWatcher.ProcessEnd.Exited(int code) ->
                                                    "ended with status " + code;
                                            case ExitWatcher.ProcessEnd.Signalled(int signal) ->
                                                    "was ended by signal " + signal;
                                            case ExitWatcher.ProcessEnd.Unknown _ -> "is gone";
                                        })
                        .orElse("was ended");
        return new Ending.LaunchFailed("the starter " + how + " before the command could run");
    }

    private void end(Ending ending, Optional<Sweep.Report> swept) {
        var leftovers = swept.map(LeftoverFacts::of).orElse(java.util.List.of());
        var findings = findings(ending);
        // Nothing of the attempt runs any more that could still write its report.
        var report = reportKey.flatMap(context.reports()::of);
        boolean hasReleasedGpus = context.gpus().release(id, hasRun(ending));
        context.report(new Fact.Ended(id, ending, leftovers, hasReleasedGpus, findings, report));
        if (!hasReleasedGpus) {
            context.gpus().awaitRelease(id);
        }
    }

    /** Runs before the attempt leaves its GPUs, so that the last reading of the GPUs counts too. */
    private AttemptFindings findings(Ending ending) {
        var diagnosis =
                isStopRequested
                        ? Optional.<Diagnosis>empty()
                        : LogDiagnosis.of(id, directory, ending);
        return new AttemptFindings(diagnosis, context.gpus().consumption(id));
    }

    private static boolean hasRun(Ending ending) {
        return switch (ending) {
            case Ending.Exited _, Ending.Vanished _ -> true;
            case Ending.MachineRestarted _,
                    Ending.NeverStarted _,
                    Ending.LaunchFailed _,
                    Ending.StartTimedOut _ ->
                    false;
        };
    }

    /**
     * Creates {@code go} as a tombstone, so that no process may start. False if {@code go} already
     * exists.
     */
    private boolean preventStart() throws IOException {
        reachFailpoint("node.before-tombstone");
        directory.create();
        boolean closed = GoFile.writeTombstone(directory.go());
        reachFailpoint("node.after-tombstone");
        return closed;
    }

    // Adopting attempts that an earlier server started.

    void adopt(Attempt attempt, Optional<Duration> limit) {
        timeLimit = limit;
        runOrLose(
                () -> {
                    switch (new Adoption(context, directory, attempt).determine()) {
                        case Adoption.Result.Alive(ShimProcess process) -> {
                            hasStarted = true;
                            var withSession =
                                    process.with(
                                            attempt.phase()
                                                    .shimProcess()
                                                    .flatMap(ShimProcess::tmuxSession));
                            window.adopt(withSession);
                            context.gpus().started(id, withSession);
                            context.report(new Fact.Adopted(id, withSession));
                            watch(withSession, false);
                        }
                        case Adoption.Result.Ended(Optional<ProcessKey> shim, Ending ending) -> {
                            context.report(new Fact.EndingProcesses(id));
                            end(ending, Optional.of(sweep(context.processSet(id, shim))));
                            attempt.phase().shimProcess().ifPresent(window::adopt);
                            window.close();
                        }
                        case Adoption.Result.Undetermined(String why) -> reportLost(why);
                    }
                });
    }

    /** For an attempt that Berth lost sight of: runs when a user stops it. */
    void endFoundProcesses() {
        isStopRequested = true;
        runOrLose(
                () -> {
                    preventStart();
                    var shim =
                            GoFile.read(directory.go()) instanceof GoFile.Taken(var key)
                                    ? Optional.of(key)
                                    : Optional.<ProcessKey>empty();
                    var report = sweep(context.processSet(id, shim));
                    end(ending(Optional.empty()), Optional.of(report));
                });
    }

    private interface LoseableStep {
        void run() throws IOException, InterruptedException;
    }

    /**
     * If the state cannot be determined, reports that. The claims then stay until a user decides.
     */
    private void runOrLose(LoseableStep step) {
        try {
            step.run();
        } catch (IOException | RuntimeException failure) {
            log.error("task={} attempt={} lost sight", id.task(), id.number(), failure);
            reportLost(failure.toString());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void reportLost(String why) {
        isLost = true;
        context.report(new Fact.Lost(id, why));
    }

    private void reachFailpoint(String point) {
        context.failpoints().reach(point);
    }
}
