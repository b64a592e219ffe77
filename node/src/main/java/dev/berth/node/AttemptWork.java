package dev.berth.node;

import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Findings;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Node;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessSet;
import dev.berth.node.process.Sweep;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Everything about one attempt, in the order in which it happens. */
final class AttemptWork {

    private static final Logger log = LoggerFactory.getLogger(AttemptWork.class);

    private static final Duration STUCK_PAUSE = Duration.ofSeconds(5);

    /** A task that is over by then is told as started and ended at once, in one commit. */
    private static final long FIRST_LOOK_MILLIS = 12;

    private static final long LONGEST_LOOK_MILLIS = 100;
    private static final long WINDOW_AFTER_MILLIS = 400;

    private final AttemptId id;
    private final Workshop workshop;
    private final AttemptDirectory directory;
    private final AttemptWindow window;
    private final BlockingQueue<Signal> mailbox = new LinkedBlockingQueue<>();

    private Optional<Duration> timeLimit = Optional.empty();

    /** A shim that has not taken {@code go} by then is closed off. */
    private Duration startPatience = Node.Terms.USUAL.within();

    /**
     * Its {@code go} was seen, so its command may have run, whatever the directory looks like
     * later.
     */
    private boolean hasBegun;

    /** Somebody wished its end: its log is not asked why. */
    private volatile boolean isToldToStop;

    /** What can interrupt the watching. */
    private sealed interface Signal {
        /** The shim is gone. */
        record Over(ExitWatcher.End end) implements Signal {}

        record Stop() implements Signal {}

        /** It did not come up, and now never will. */
        record TooLate() implements Signal {}

        /** This server is closing: leave everything as it is. */
        record Abandon() implements Signal {}
    }

    AttemptWork(AttemptId id, Workshop workshop) {
        this.id = id;
        this.workshop = workshop;
        this.directory = workshop.directory(id);
        this.window = new AttemptWindow(id, workshop);
    }

    void stop() {
        isToldToStop = true;
        mailbox.add(new Signal.Stop());
    }

    void abandon() {
        mailbox.add(new Signal.Abandon());
    }

    // Starting.

    void launch(Node.Launch order) {
        Spawner.Spawned spawned;
        Instant startedAt;
        timeLimit = order.spec().timeLimit();
        startPatience = order.terms().within();
        try {
            var refusal = workshop.cards().refusal(order);
            if (refusal.isPresent()) {
                log.info(
                        "task={} attempt={} goes back to its place: {}",
                        id.task(),
                        id.number(),
                        refusal.get());
                end(new Ending.NeverStarted(), Optional.empty());
                return;
            }
            at("node.before-directory");
            new Preparation(workshop, directory).prepare(order);
            at("node.after-directory");
            if (mailbox.peek() instanceof Signal.Stop && closeOff()) {
                end(new Ending.NeverStarted(), Optional.empty());
                return;
            }
            window.openIfDemanded();
            startedAt = Instant.now();
            spawned = workshop.spawner().spawn(Preparation.spawn(workshop, directory));
            at("node.after-spawn");
        } catch (IOException | RuntimeException failure) {
            log.warn(
                    "task={} attempt={} cannot be started: {}",
                    id.task(),
                    id.number(),
                    failure.toString());
            end(
                    new Ending.LaunchFailed("could not be started: " + said(failure)),
                    Optional.empty());
            window.close();
            return;
        }
        showToPeople();
        carefully(
                () -> {
                    var shim = Proc.key(workshop.bootId(), spawned.pid());
                    if (shim.isPresent()) {
                        watch(new Run(shim.get(), startedAt, window.expected()), true);
                    } else {
                        // Where the JDK reaps, it may be gone already; our own child would have
                        // stayed as a zombie.
                        var report = sweep(workshop.processes(id, Optional.empty()));
                        end(ending(Optional.of(new ExitWatcher.End.Untold())), Optional.of(report));
                    }
                });
    }

    /** Where the words are our own, they are enough. */
    private static String said(Exception failure) {
        var words = failure.getMessage();
        return failure.getClass() == IOException.class && words != null
                ? words
                : failure.toString();
    }

    /**
     * Nothing waits for these links: by now it runs, and a full disk that refuses them ends
     * nothing.
     */
    private void showToPeople() {
        try {
            directory.publish();
        } catch (IOException refused) {
            log.warn("task={} attempt={} is not linked: {}", id.task(), id.number(), refused);
        }
    }

    // Watching.

    /**
     * @param isNew its start is still to be confirmed and told
     */
    private void watch(Run run, boolean isNew) throws IOException, InterruptedException {
        var shim = run.process();
        try (var _ = workshop.exits().watch(shim, end -> mailbox.add(new Signal.Over(end)));
                var _ = workshop.housekeeping().tend(directory.log());
                var _ = workshop.progress().follow(id, directory.log())) {
            var signal = isNew ? awaitGo(run) : awaitEnd(shim);
            switch (signal) {
                case Signal.Over(var end) -> {
                    tellStart(run);
                    conclude(shim, Optional.of(end));
                }
                case Signal.Stop _ -> {
                    at("node.before-term");
                    closeOff();
                    conclude(shim, Optional.empty());
                }
                case Signal.TooLate _ -> {
                    var report = sweep(workshop.processes(id, Optional.of(shim)));
                    var why = "did not come up within " + startPatience.toSeconds() + " s";
                    end(new Ending.StartTimedOut(why), Optional.of(report));
                }
                case Signal.Abandon _ -> {
                    log.debug("attempt={} is left to the next server", id);
                    return;
                }
            }
        }
        window.close();
    }

    /** Looks for {@code go} more and more slowly until it is there, tells so, and waits on. */
    private Signal awaitGo(Run run) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + startPatience.toNanos();
        for (long pause = FIRST_LOOK_MILLIS; ; pause = Math.min(2 * pause, LONGEST_LOOK_MILLIS)) {
            var signal = mailbox.poll(pause, TimeUnit.MILLISECONDS);
            if (signal != null) {
                return signal;
            }
            if (tellStart(run)) {
                return awaitWithWindow(run.process());
            }
            if (System.nanoTime() > deadline && closeOff()) {
                return new Signal.TooLate();
            }
        }
    }

    /** A task that is over in a moment is over before anybody could look at it. */
    private Signal awaitWithWindow(ProcessKey shim) throws IOException, InterruptedException {
        var signal = mailbox.poll(WINDOW_AFTER_MILLIS, TimeUnit.MILLISECONDS);
        if (signal != null) {
            return signal;
        }
        window.openBeside();
        return awaitEnd(shim);
    }

    /**
     * Tells when its time is up. That is counted from the start of its process by the kernel's own
     * clock, so neither a server that was away nor a clock that was set changes it.
     */
    private Signal awaitEnd(ProcessKey shim) throws IOException, InterruptedException {
        if (timeLimit.isPresent()) {
            for (var left = left(shim); left.isPositive(); left = left(shim)) {
                var signal = mailbox.poll(left.toNanos(), TimeUnit.NANOSECONDS);
                if (signal != null) {
                    return signal;
                }
            }
            workshop.tell(new Fact.TimeUp(id));
        }
        return mailbox.take();
    }

    private Duration left(ProcessKey shim) throws IOException {
        return timeLimit.orElseThrow().minus(Proc.age(shim));
    }

    /** Once, as soon as its {@code go} is there; a short task may have ended before we looked. */
    private boolean tellStart(Run run) throws IOException {
        if (!hasBegun && GoFile.read(directory.go()) instanceof GoFile.Taken) {
            hasBegun = true;
            workshop.cards().came(id, run);
            workshop.tell(new Fact.Started(id, run));
        }
        return hasBegun;
    }

    // Ending.

    /**
     * Ends whatever is left, however the shim came to its end, and tells when nothing is.
     *
     * @param end of the shim; empty while it lives and is to be ended
     */
    private void conclude(ProcessKey shim, Optional<ExitWatcher.End> end)
            throws IOException, InterruptedException {
        var report = sweep(workshop.processes(id, Optional.of(shim)));
        end(ending(end), Optional.of(report));
    }

    private Sweep.Report sweep(ProcessSet set) throws IOException, InterruptedException {
        var limits = new Sweep.Limits(workshop.settings().stopGrace(), Sweep.Limits.PATIENCE);
        var report = workshop.sweep().run(set, limits);
        while (!report.stuck().isEmpty()) {
            log.error(
                    "task={} attempt={} cannot be ended: {}",
                    id.task(),
                    id.number(),
                    report.stuck());
            workshop.tell(new Fact.Stuck(id, Leftovers.describe(report.stuck())));
            var _ = mailbox.poll(STUCK_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
            report =
                    workshop.sweep()
                            .run(set, new Sweep.Limits(Duration.ZERO, Sweep.Limits.PATIENCE));
        }
        return report;
    }

    /** The exit record outranks everything else: it is written last. */
    private Ending ending(Optional<ExitWatcher.End> end) throws IOException {
        if (ExitRecord.read(directory) instanceof ExitRecord.Code(int code)) {
            ExitRecord.publish(directory);
            return new Ending.Exited(code);
        }
        return switch (GoFile.read(directory.go())) {
            case GoFile.Tombstone _ -> new Ending.NeverStarted();
            // Somebody removed it, or the shim died before it came so far; then nobody else may.
            case GoFile.Absent _ ->
                    hasBegun || !closeOff() ? new Ending.Vanished() : notComeUp(end);
            case GoFile.Empty _, GoFile.Taken _, GoFile.Damaged _ -> new Ending.Vanished();
        };
    }

    private static Ending notComeUp(Optional<ExitWatcher.End> end) {
        var how =
                end.map(
                                one ->
                                        switch (one) {
                                            case ExitWatcher.End.Exited(int code) ->
                                                    "ended with status " + code;
                                            case ExitWatcher.End.Signalled(int signal) ->
                                                    "was ended by signal " + signal;
                                            case ExitWatcher.End.Untold _ -> "is gone";
                                        })
                        .orElse("was ended");
        return new Ending.LaunchFailed("the starter " + how + " before the command could run");
    }

    private void end(Ending ending, Optional<Sweep.Report> report) {
        var leftovers = report.map(Leftovers::of).orElse(java.util.List.of());
        var findings = findings(ending);
        boolean isOffItsCards = workshop.cards().vacate(id, hasRun(ending));
        workshop.tell(new Fact.Ended(id, ending, leftovers, isOffItsCards, findings));
        if (!isOffItsCards) {
            workshop.cards().awaitDeparture(id);
        }
    }

    /** Asked before it leaves its cards: then its last reading counts, too. */
    private Findings findings(Ending ending) {
        var diagnosis =
                isToldToStop ? Optional.<Diagnosis>empty() : LastWords.of(id, directory, ending);
        return new Findings(diagnosis, workshop.cards().consumption(id));
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

    /** Takes the right to start for nobody. False where somebody has it already. */
    private boolean closeOff() throws IOException {
        at("node.before-tombstone");
        directory.create();
        boolean closed = GoFile.close(directory.go());
        at("node.after-tombstone");
        return closed;
    }

    // Taking up what an earlier server began.

    void adopt(Attempt attempt, Optional<Duration> limit) {
        timeLimit = limit;
        carefully(
                () -> {
                    switch (new Adoption(workshop, directory, attempt).judge()) {
                        case Adoption.Finding.Alive(Run run) -> {
                            hasBegun = true;
                            var known = run.with(attempt.phase().begun().flatMap(Run::window));
                            window.takeUp(known);
                            workshop.cards().came(id, known);
                            workshop.tell(new Fact.Adopted(id, known));
                            watch(known, false);
                        }
                        case Adoption.Finding.Over(Optional<ProcessKey> shim, Ending ending) -> {
                            workshop.tell(new Fact.Sweeping(id));
                            end(ending, Optional.of(sweep(workshop.processes(id, shim))));
                            attempt.phase().begun().ifPresent(window::takeUp);
                            window.close();
                        }
                        case Adoption.Finding.Doubtful(String why) -> lose(why);
                    }
                });
    }

    /** By a person's word, for an attempt that was lost sight of. */
    void endWhatIsFound() {
        isToldToStop = true;
        carefully(
                () -> {
                    closeOff();
                    var shim =
                            GoFile.read(directory.go()) instanceof GoFile.Taken(var key)
                                    ? Optional.of(key)
                                    : Optional.<ProcessKey>empty();
                    var report = sweep(workshop.processes(id, shim));
                    end(ending(Optional.empty()), Optional.of(report));
                });
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** Where Berth cannot look it says so, and leaves the claims to a person. */
    private void carefully(Step step) {
        try {
            step.run();
        } catch (IOException | RuntimeException failure) {
            log.error("task={} attempt={} lost sight", id.task(), id.number(), failure);
            lose(failure.toString());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void lose(String why) {
        workshop.tell(new Fact.LostSight(id, why));
    }

    private void at(String point) {
        workshop.failpoints().reach(point);
    }
}
