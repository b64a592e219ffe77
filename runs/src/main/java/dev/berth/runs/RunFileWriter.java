package dev.berth.runs;

import dev.berth.core.commandfile.FileRun;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineState;
import dev.berth.feed.EventFeed;
import dev.berth.feed.FailureLog;
import dev.berth.files.UserPaths;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.runs.RunStateFiles.StoredState;
import dev.berth.wire.RunState;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Writes the state file and the log of each file run on its own thread: nothing waits for it, and a
 * failing disk does not affect other parts.
 */
public final class RunFileWriter implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RunFileWriter.class);

    /** How far back to search for events missed while no server ran. */
    private static final int MAX_PAGES = 100;

    /** Number of recent runs whose final state is checked at the start. */
    private static final int RECENT = 200;

    /** Changes within this time are handled together. */
    private static final long MIN_PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    /** Writing large runs takes long: at most a tenth of the time is used for it. */
    private static final int PAUSE_PER_WORK = 9;

    private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

    private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    /** Logs once until everything works again: it is retried continuously. */
    private final FailureLog failures =
            new FailureLog(
                    log,
                    "the files of runs are not all written",
                    "the files of runs are written again");

    private final EngineLoop engine;
    private final TaskQueries queries;
    private final FileRuns runs;
    private final RunRendering rendering;
    private final RunOutputs outlets;
    private final TreeMap<Long, RunTracker> followed = new TreeMap<>();
    private final EventFeed feed;
    private boolean hasBegun;
    private long lastRun;
    private volatile boolean haveBindingsChanged;

    /** Builds the API form of a run. */
    @FunctionalInterface
    public interface RunRendering {
        RunState state(FileRun run) throws StoreFailure;
    }

    /** Where to write, and the clocks. */
    record RunOutputs(
            RunStateFiles stateFiles,
            RunSettings settings,
            UserPaths paths,
            InstantSource clock,
            LongSupplier nanos) {}

    private RunFileWriter(
            FileRuns runs, RunRendering rendering, RunResources resources, LongSupplier nanos) {
        var settings = resources.settings();
        this.engine = runs.engine();
        this.queries = runs.queries();
        this.runs = runs;
        this.rendering = rendering;
        this.outlets =
                new RunOutputs(
                        RunStateFiles.of(settings.home()),
                        settings,
                        resources.paths(),
                        engine::now,
                        nanos);
        this.feed =
                new EventFeed(
                        new EventFeed.Source(queries, () -> engine.state().lastIds().seq()),
                        new EventFeed.Settings(Duration.ZERO, AFTER_FAILURE, true, failures));
    }

    /**
     * Starts the thread that writes.
     *
     * @param nanos a monotonic clock
     */
    public static RunFileWriter start(
            FileRuns runs, RunRendering rendering, RunResources resources, LongSupplier nanos) {
        var writer = new RunFileWriter(runs, rendering, resources, nanos);
        // Runs on the engine's thread, so it only sets a flag.
        writer.engine.onPublish(_ -> writer.feed.wake());
        writer.feed.start(Thread.ofPlatform().daemon().name("runs").factory(), writer::pass);
        return writer;
    }

    /** Called after log bindings have changed. */
    public void onBindingsChanged() {
        haveBindingsChanged = true;
        feed.wake();
    }

    private EventFeed.Rest pass(boolean wasWoken) throws StoreFailure {
        long began = outlets.nanos().getAsLong();
        checkAll(wasWoken);
        long pause = (outlets.nanos().getAsLong() - began) * PAUSE_PER_WORK;
        return new EventFeed.Rest(
                Duration.ofNanos(Math.clamp(pause, MIN_PAUSE_NANOS, MAX_PAUSE_NANOS)),
                Duration.ofNanos(untilDue()));
    }

    private long untilDue() {
        long now = outlets.nanos().getAsLong();
        long due = now + IDLE_NANOS;
        for (var one : followed.values()) {
            due = Math.min(due, one.nextCheck(due));
        }
        return Math.max(due - now, 1);
    }

    /** Runs that are already followed are checked even if no event can be read. */
    private void checkAll(boolean isNews) throws StoreFailure {
        try {
            collect(engine.state(), isNews);
        } finally {
            long now = outlets.nanos().getAsLong();
            for (var one : followed.values()) {
                if (feed.isClosed() ? one.isStale() : one.nextCheck(now + 1) <= now) {
                    check(one);
                }
            }
            followed.values().removeIf(RunTracker::isDone);
        }
    }

    private void check(RunTracker one) {
        try {
            var known = one.run();
            var now = runs.live(known.id());
            if (now.isEmpty() && !known.hasEnded()) {
                now = runs.find(known.id());
            }
            one.check(now.orElse(known), rendering, outlets);
            failures.succeeded("run " + known.id());
        } catch (StoreFailure | IOException | RuntimeException failure) {
            failures.failed("run " + one.run().id(), failure);
        }
    }

    /** Collects the runs that need a check. */
    private void collect(EngineState state, boolean isNews) throws StoreFailure {
        if (!hasBegun) {
            begin(state);
            hasBegun = true;
        }
        for (long id = lastRun + 1; id <= state.lastIds().run(); id++) {
            runs.find(id).ifPresent(run -> follow(run, Instant.MIN));
            lastRun = id;
        }
        if (followed.isEmpty()) {
            feed.moveTo(state.lastIds().seq());
        } else {
            readEvents(state.lastIds().seq());
        }
        if (isNews) {
            followed.values().forEach(RunTracker::markMaybeChanged);
        }
        if (haveBindingsChanged) {
            haveBindingsChanged = false;
            followed.values().forEach(RunTracker::markStale);
        }
    }

    private void follow(FileRun run, Instant toldUntil) {
        followed.put(run.id(), new RunTracker(run, toldUntil, outlets.nanos().getAsLong()));
    }

    /**
     * @param last newer events may belong to a run that is not followed yet
     */
    private void readEvents(long last) throws StoreFailure {
        feed.readUpTo(
                last,
                page -> page.forEach(event -> followed.values().forEach(one -> one.add(event))));
    }

    /** Continues with runs of earlier servers whose final state is not written. */
    private void begin(EngineState state) throws StoreFailure {
        lastRun = state.lastIds().run();
        feed.moveTo(state.lastIds().seq());
        var from = engine.now();
        for (var run : queries.fileRuns(RECENT)) {
            var stored = outlets.stateFiles().read(run.id());
            boolean isOver = run.hasEnded() && run.unfinishedTasks(state.tasks()) == 0;
            if (run.id() > lastRun || (isOver && stored.filter(StoredState::isFinal).isPresent())) {
                continue;
            }
            // A user may have deleted the state file of an ended run: its events are not logged
            // again.
            var until =
                    stored.map(StoredState::updatedAt).orElse(isOver ? Instant.MAX : Instant.MIN);
            follow(run, until);
            var earliest = until.isBefore(run.startedAt()) ? run.startedAt() : until;
            from = earliest.isBefore(from) ? earliest : from;
        }
        if (!followed.isEmpty()) {
            feed.rewindBefore(from, MAX_PAGES);
        }
    }

    /** The current state is still written. */
    @Override
    public void close() {
        feed.close();
    }
}
