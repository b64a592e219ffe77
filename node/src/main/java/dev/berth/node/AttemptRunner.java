package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.files.TimeLimitedCalls;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Proc;
import dev.berth.node.process.Sweep;
import dev.berth.node.shim.NativeShim;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** The whole life of one attempt, in order: start, watch, end. */
final class AttemptRunner {

    private static final Logger log = LoggerFactory.getLogger(AttemptRunner.class);

    /** A lost attempt is looked at again after this time, then at growing intervals. */
    private static final Duration FIRST_LOOK = Duration.ofSeconds(2);

    private static final Duration MAX_LOOK_INTERVAL = Duration.ofMinutes(1);

    /**
     * If a task ends within this time, its start and its end are reported together, in one commit.
     */
    private static final long FIRST_POLL_MILLIS = 12;

    private static final long MAX_POLL_MILLIS = 100;
    private static final Duration WINDOW_DELAY = Duration.ofMillis(400);

    private final AttemptId id;
    private final NodeContext context;
    private final AttemptOutcome outcome;
    private final AttemptEnd end;
    private final AttemptWindow window;
    private final RunnerSignals signals =
            new RunnerSignals(this::isReportedFromMemory, this::reportEnd);

    private Optional<Duration> timeLimit = Optional.empty();

    /** If the shim has not taken {@code go} by then, the attempt is closed with a tombstone. */
    private Duration startTimeout = Node.LaunchTerms.DEFAULT.startTimeout();

    /** As last reported, with its process; absent if only its end is asked for. */
    private @Nullable Attempt known;

    /** Another process took {@code go} in this directory. */
    private boolean isDirectoryForeign;

    /** This process started the native shim, so it learns whether processes are left. */
    private boolean isShimNative;

    private ShimConnection connection = ShimConnection.NONE;

    /** Why the attempt was last reported as lost; empty while it is in sight. */
    private String lostReason = "";

    /**
     * @param reportKey under which its script reports its own end, if it does
     */
    AttemptRunner(AttemptId id, Optional<String> reportKey, NodeContext context) {
        this.id = id;
        this.context = context;
        this.outcome = new AttemptOutcome(id, context);
        this.end = new AttemptEnd(id, reportKey, context);
        this.window = new AttemptWindow(id, context);
    }

    void stop() {
        end.requestStop();
        signals.add(new RunnerSignal.Stop());
    }

    void watchNamed(ShimProcess process) {
        signals.add(new RunnerSignal.Watch(process));
    }

    void forget() {
        end.forget();
        signals.add(new RunnerSignal.Forget());
    }

    void detach() {
        signals.add(new RunnerSignal.Abandon());
    }

    // Starting.

    void launch(Supplier<Node.Launch> order) {
        var result = start(order.get());
        context.spareDirectories().refillSoon();
        switch (result) {
            case AttemptLaunch.Result.Spawned spawned -> {
                try (var _ = spawned.shim().connection()) {
                    runUntilOver(() -> watchSpawned(spawned));
                }
            }
            case AttemptLaunch.Result.UsedDirectory _ -> {
                isDirectoryForeign = true;
                runUntilOver(this::closeUsedDirectory);
            }
            case AttemptLaunch.Result.NotSpawned(Ending ending) ->
                    end.report(ending, Optional.empty());
        }
    }

    /** No frame below holds the order, which may be large. */
    private AttemptLaunch.Result start(Node.Launch launch) {
        known = launch.attempt();
        timeLimit = launch.spec().options().timeLimit();
        startTimeout = launch.terms().startTimeout();
        return new AttemptLaunch(id, context, outcome, window, signals)
                .start(launch, end::isStopRequested);
    }

    private boolean watchSpawned(AttemptLaunch.Result.Spawned spawned)
            throws IOException, InterruptedException {
        isShimNative = spawned.program().isNative();
        connection = spawned.shim().connection();
        var shim = spawned.shim().process();
        if (shim.isPresent()) {
            return watch(
                    new ShimProcess(shim.get(), spawned.startedAt(), window.expectedSession()),
                    true);
        }
        var report = sweep(Optional.empty());
        end.report(
                outcome.ending(Optional.of(new ExitWatcher.ProcessEnd.Unknown()), true),
                Optional.of(report));
        return true;
    }

    // Watching.

    /**
     * @param isNew its start is not confirmed and reported yet
     * @return false if its state cannot be determined
     */
    private boolean watch(ShimProcess process, boolean isNew)
            throws IOException, InterruptedException {
        var shim = process.key();
        try (var _ = connection.watch(context.exitWatcher(), shim, signals);
                var _ = context.storage().capLog(outcome.directory().log());
                var _ = context.progress().follow(id, outcome.directory().log())) {
            var signal = isNew ? awaitGo(process) : awaitEnd(process);
            if (isNew) {
                // Before anyone learns that the task has ended.
                outcome.linkLatest();
            }
            while (signal instanceof RunnerSignal.Watch) {
                signal = awaitEnd(process);
            }
            switch (signal) {
                case RunnerSignal.ShimEnded(var end) -> {
                    if (!concludeEnded(process, end)) {
                        return false;
                    }
                }
                case RunnerSignal.CommandEnded(int code) -> reportEnd(process, code);
                case RunnerSignal.EndReported _ -> {}
                case RunnerSignal.Stop _, RunnerSignal.Forget _, RunnerSignal.Watch _ -> {
                    context.failpoints().reach("node.before-term");
                    outcome.tryToPreventStart();
                    connection.hangUp();
                    conclude(shim, Optional.empty(), Optional.empty());
                }
                case RunnerSignal.TooLate _ -> {
                    var report = sweep(Optional.of(shim));
                    var why = ErrorSentence.START_TIMEOUT.text(startTimeout.toSeconds());
                    end.report(new Ending.StartTimedOut(why), Optional.of(report));
                }
                case RunnerSignal.Abandon _ -> {
                    log.debug("attempt={} is left to the next server", id);
                    return true;
                }
            }
        }
        window.close();
        return true;
    }

    /** True if a report of this end neither reads nor creates a file, nor opens a pipe. */
    private boolean isReportedFromMemory(int code) {
        var attempt = known;
        return attempt != null
                && !attempt.isWorker()
                && outcome.isLinked()
                && end.isReportedFromMemory(code);
    }

    /** The shim has started the command, which has ended: its files need not be read. */
    private void reportEnd(ShimProcess process, int code) {
        var start = outcome.hasStarted() ? Optional.<Fact>empty() : Optional.of(begin(process));
        var terms = new AttemptEnd.ReportTerms(start, connection.release());
        end.report(new Ending.Exited(code), Optional.empty(), terms);
    }

    /** False if another process holds the directory. */
    private boolean concludeEnded(ShimProcess process, ExitWatcher.ProcessEnd shimEnd)
            throws IOException, InterruptedException {
        var holder = outcome.foreignHolder(Optional.of(process.key()));
        if (holder.isPresent()) {
            isDirectoryForeign = true;
            reportLost(holder.get());
            return false;
        }
        conclude(process.key(), Optional.of(shimEnd), findStart(process));
        return true;
    }

    /**
     * Polls for {@code go} at growing intervals. Once the file exists, reports the start and waits
     * for the end.
     */
    private RunnerSignal awaitGo(ShimProcess process) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + startTimeout.toNanos();
        for (long pause = FIRST_POLL_MILLIS; ; pause = Math.min(2 * pause, MAX_POLL_MILLIS)) {
            var signal = signals.poll(process, Duration.ofMillis(pause));
            if (signal != null) {
                return signal;
            }
            outcome.linkLatest();
            findStart(process).ifPresent(context::report);
            if (outcome.hasStarted()) {
                return awaitWithWindow(process);
            }
            if (System.nanoTime() > deadline && outcome.preventStart()) {
                return new RunnerSignal.TooLate();
            }
        }
    }

    /**
     * A task that ends almost at once gets no window: it would close before a user could open it.
     */
    private RunnerSignal awaitWithWindow(ShimProcess process)
            throws IOException, InterruptedException {
        var signal = signals.poll(process, WINDOW_DELAY);
        if (signal != null) {
            return signal;
        }
        window.openInBackground(process.key());
        return awaitEnd(process);
    }

    /**
     * Reports when the time limit has passed. The time counts from the start of the process by the
     * kernel's clock, so neither a server restart nor a change of the system time affects it.
     */
    private RunnerSignal awaitEnd(ShimProcess process) throws IOException, InterruptedException {
        if (timeLimit.isPresent()) {
            var limit = timeLimit.get();
            for (var timeLeft = limit.minus(Proc.age(process.key()));
                    timeLeft.isPositive();
                    timeLeft = limit.minus(Proc.age(process.key()))) {
                var signal = signals.poll(process, timeLeft);
                if (signal != null) {
                    return signal;
                }
            }
            context.report(new Fact.TimeLimitReached(id));
        }
        return signals.take(process);
    }

    /** The start, once {@code go} exists; empty if it was found before. */
    private Optional<Fact> findStart(ShimProcess process) throws IOException {
        return outcome.hasStarted() || !outcome.checkStarted(process.key())
                ? Optional.empty()
                : Optional.of(begin(process));
    }

    private Fact begin(ShimProcess process) {
        outcome.setStarted();
        noteProcess(process);
        context.gpus().started(id, process);
        return new Fact.Started(id, process);
    }

    private void noteProcess(ShimProcess process) {
        var before = known;
        if (before != null) {
            known = before.after(new PhaseTransition.SeenAlive(process));
        }
    }

    /**
     * The directory was used before, and the database does not know that. This attempt has started
     * nothing; the next one gets another directory when the other process is gone.
     */
    private boolean closeUsedDirectory() throws IOException {
        var holder = outcome.foreignHolder(Optional.empty());
        if (holder.isPresent()) {
            reportLost(holder.get());
            return false;
        }
        log.warn("task={} attempt={} has a used directory", id.task(), id.number());
        end.report(new Ending.NeverStarted(), Optional.empty());
        return true;
    }

    // Ending.

    /**
     * Ends all remaining processes of the attempt, however its shim ended, and reports the end when
     * none is left. There is no search if the native shim has reported that no process is left.
     *
     * @param shimEnd empty if the shim is alive and has to be ended
     * @param start if it is not reported yet; one commit stores both
     */
    private void conclude(
            ProcessKey shim, Optional<ExitWatcher.ProcessEnd> shimEnd, Optional<Fact> start)
            throws IOException, InterruptedException {
        if (isShimNative && shimEnd.equals(Optional.of(NativeShim.ALL_GONE))) {
            var terms = new AttemptEnd.ReportTerms(start, () -> {});
            end.report(outcome.ending(shimEnd, true), Optional.empty(), terms);
            return;
        }
        start.ifPresent(context::report);
        var report = sweep(Optional.of(shim));
        end.report(outcome.ending(shimEnd, true), Optional.of(report));
    }

    private Sweep.Report sweep(Optional<ProcessKey> shim) throws IOException, InterruptedException {
        return end.sweep(context.processSet(id, shim), signals);
    }

    // Adopting attempts that an earlier server started.

    void adopt(Attempt attempt, Optional<Duration> limit) {
        known = attempt;
        timeLimit = limit;
        runUntilOver(() -> lookFor(attempt));
    }

    /** False if the state cannot be determined. */
    private boolean lookFor(Attempt attempt) throws IOException, InterruptedException {
        var found =
                readFiles(
                        () -> {
                            outcome.openExitRecord();
                            return new Adoption(context, outcome.directory(), attempt).determine();
                        });
        switch (found) {
            case Adoption.Result.Alive(ShimProcess process) -> {
                return watchFound(attempt, process);
            }
            case Adoption.Result.Ended(Optional<ProcessKey> shim, Ending ending) -> {
                context.report(new Fact.EndingProcesses(id));
                if (AttemptEnd.hasRun(ending)) {
                    outcome.linkLatest();
                }
                end.report(ending, Optional.of(sweep(shim)));
                attempt.phase().shimProcess().ifPresent(window::adopt);
                window.close();
            }
            case Adoption.Result.Undetermined(String why) -> {
                reportLost(why);
                return false;
            }
        }
        return true;
    }

    private boolean watchFound(Attempt attempt, ShimProcess process)
            throws IOException, InterruptedException {
        outcome.setStarted();
        outcome.linkLatest();
        isShimNative = false;
        connection = ShimConnection.NONE;
        lostReason = "";
        var withSession =
                process.with(attempt.phase().shimProcess().flatMap(ShimProcess::tmuxSession));
        noteProcess(withSession);
        window.adopt(withSession);
        context.gpus().started(id, withSession);
        context.report(new Fact.Adopted(id, withSession));
        return watch(withSession, false);
    }

    /** A file that never answers costs one thread, and no other attempt waits for it. */
    private <T> T readFiles(TimeLimitedCalls.FileWork<T> work)
            throws IOException, InterruptedException {
        return context.attemptFiles().call("the directory of attempt " + id, work);
    }

    /** For an attempt that has to end while nothing watches it. */
    void endFoundProcesses() {
        end.requestStop();
        runUntilOver(this::endFound);
    }

    private boolean endFound() throws IOException, InterruptedException {
        var recorded = recordedShim();
        var report = sweep(readFiles(() -> outcome.shimToEnd(recorded)));
        end.report(outcome.ending(Optional.empty(), false), Optional.of(report));
        return true;
    }

    private Optional<ProcessKey> recordedShim() {
        return Optional.ofNullable(known)
                .flatMap(attempt -> attempt.phase().shimProcess())
                .map(ShimProcess::key)
                .filter(key -> context.mayBeShim(id, key));
    }

    // Attempts that Berth lost sight of.

    /**
     * If the state cannot be determined, reports that and looks again at growing intervals. The
     * claims stay until a fact or a person decides.
     */
    private void runUntilOver(LoseableStep first) {
        try (outcome) {
            var next = Optional.of(first);
            var pause = FIRST_LOOK;
            while (next.isPresent() && !isDone(next.get())) {
                next = nextStep(signals.poll(pause));
                var doubled = pause.multipliedBy(2);
                pause = doubled.compareTo(MAX_LOOK_INTERVAL) < 0 ? doubled : MAX_LOOK_INTERVAL;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isDone(LoseableStep step) throws InterruptedException {
        try {
            return step.run();
        } catch (IOException | RuntimeException failure) {
            if (end.isReported()) {
                log.warn("task={} attempt={} has ended", id.task(), id.number(), failure);
                return true;
            }
            log.error("task={} attempt={} lost sight", id.task(), id.number(), failure);
            reportLost(failure.toString());
            return false;
        }
    }

    /** What to do next about a lost attempt; empty if nothing. */
    private Optional<LoseableStep> nextStep(@Nullable RunnerSignal signal) {
        return switch (signal) {
            case RunnerSignal.Abandon _ -> Optional.empty();
            case RunnerSignal.Forget _ -> {
                context.gpus().awaitRelease(id);
                yield Optional.empty();
            }
            case RunnerSignal.Watch(var process) -> Optional.of(() -> watchNamedProcess(process));
            case null, default -> Optional.of(this::lookAgain);
        };
    }

    private boolean watchNamedProcess(ShimProcess process)
            throws IOException, InterruptedException {
        var attempt = known;
        if (attempt == null
                || end.isStopRequested()
                || !context.mayBeShim(id, process.key())
                || !outcome.directory().isOwnShim(process.key())) {
            return lookAgain();
        }
        return watchFound(attempt, process);
    }

    private boolean lookAgain() throws IOException, InterruptedException {
        if (isDirectoryForeign) {
            return closeUsedDirectory();
        }
        var attempt = known;
        return (end.isStopRequested() || attempt == null) ? endFound() : lookFor(attempt);
    }

    /** Each reason once, however often the attempt is looked at. */
    private void reportLost(String why) {
        if (!why.equals(lostReason)) {
            lostReason = why;
            var before = known;
            if (before != null) {
                known = before.after(new PhaseTransition.LoseContact(why));
            }
            context.report(new Fact.Lost(id, why));
        }
    }
}
