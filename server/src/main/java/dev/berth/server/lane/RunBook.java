package dev.berth.server.lane;

import dev.berth.core.lane.LaneRun;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.State;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;
import dev.berth.server.lane.StateFiles.Told;
import dev.berth.wire.FileProblem;
import dev.berth.wire.RunState;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Writes down how each run stands and what happens to it, on a thread of its own: nothing waits for
 * it, and a disk that takes nothing disturbs nobody.
 */
public final class RunBook implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RunBook.class);

    private static final int PAGE = 500;

    /** So far back is looked for what happened while no server wrote it down. */
    private static final int MOST_PAGES = 100;

    /** Of so many runs it is made sure that their last state is written. */
    private static final int RECENT = 200;

    /** What comes together is looked at together. */
    private static final long BREATH_NANOS = Duration.ofMillis(20).toNanos();

    /** To write down large runs takes long: it is done for no more than a fifth of the time. */
    private static final int REST_PER_WORK = 4;

    private static final long LONGEST_BREATH_NANOS = Duration.ofSeconds(5).toNanos();

    /** No run has this number. */
    private static final long ALL = 0;

    private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final EngineLoop engine;
    private final TaskQueries queries;
    private final Runs runs;
    private final Rendering rendering;
    private final Outlets outlets;
    private final TreeMap<Long, Followed> followed = new TreeMap<>();
    private final Set<Long> troubled = new HashSet<>();
    private final Queue<LeftOut> leftOut = new ConcurrentLinkedQueue<>();
    private final Thread thread = Thread.ofVirtual().name("runs").unstarted(this::follow);
    private boolean isBegun;
    private long lastRun;
    private long seen;
    private volatile boolean isDirty;
    private volatile boolean areLogsBound;
    private volatile boolean closed;

    /** How a run looks on the wire. */
    @FunctionalInterface
    public interface Rendering {
        RunState state(LaneRun run) throws StoreFailure;
    }

    /** Where to write, and by which clocks. */
    record Outlets(
            StateFiles files, RunSettings settings, InstantSource clock, LongSupplier nanos) {}

    private record LeftOut(long run, List<FileProblem> problems) {}

    /**
     * @param nanos a clock that ticks evenly
     */
    public RunBook(Runs runs, Rendering rendering, RunSettings settings, LongSupplier nanos) {
        this.engine = runs.engine();
        this.queries = runs.queries();
        this.runs = runs;
        this.rendering = rendering;
        this.outlets = new Outlets(StateFiles.of(settings.home()), settings, engine::now, nanos);
        engine.onPublish(this::published);
        thread.start();
    }

    /** On the engine's own thread, so only a word is left. */
    private void published(State state) {
        isDirty = true;
        LockSupport.unpark(thread);
    }

    /** Blocks of a run's file that are not part of it, for its log. */
    public void leftOut(long run, List<FileProblem> problems) {
        if (!problems.isEmpty()) {
            leftOut.add(new LeftOut(run, List.copyOf(problems)));
            isDirty = true;
            LockSupport.unpark(thread);
        }
    }

    /** Somebody bound a log to a task. */
    public void logsBound() {
        areLogsBound = true;
        isDirty = true;
        LockSupport.unpark(thread);
    }

    private void follow() {
        while (!closed) {
            boolean wasDirty = isDirty;
            isDirty = false;
            long began = System.nanoTime();
            round(wasDirty);
            breathe((System.nanoTime() - began) * REST_PER_WORK);
            if (!closed && !isDirty) {
                LockSupport.parkNanos(this, untilDue());
            }
        }
        round(true);
    }

    private void breathe(long wanted) {
        long rest = Math.clamp(wanted, BREATH_NANOS, LONGEST_BREATH_NANOS);
        long end = System.nanoTime() + rest;
        for (long left = rest; left > 0 && !closed; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    private long untilDue() {
        long now = outlets.nanos().getAsLong();
        long due = now + IDLE_NANOS;
        for (var one : followed.values()) {
            due = Math.min(due, one.dueAt(due));
        }
        return Math.max(due - now, 1);
    }

    private void round(boolean isNews) {
        try {
            notice(engine.state(), isNews);
            well(ALL);
        } catch (StoreFailure | RuntimeException failure) {
            trouble(ALL, "what happens to them cannot be read", failure);
        }
        long now = outlets.nanos().getAsLong();
        for (var one : followed.values()) {
            if (closed ? one.isStale() : one.dueAt(now + 1) <= now) {
                look(one);
            }
        }
        followed.values().removeIf(Followed::isOver);
    }

    private void look(Followed one) {
        try {
            var known = one.run();
            var now = runs.live(known.id());
            if (now.isEmpty() && !known.isOver()) {
                now = runs.find(known.id());
            }
            one.look(now.orElse(known), rendering, outlets);
            well(known.id());
        } catch (StoreFailure | IOException | RuntimeException failure) {
            long id = one.run().id();
            trouble(id, "those of run " + id + " cannot be", failure);
        }
    }

    /** Told once, until all is well again: it is tried again and again. */
    private void trouble(long whose, String what, Exception failure) {
        if (troubled.isEmpty()) {
            log.warn("the files of runs are not all written: {}: {}", what, failure.toString());
        }
        troubled.add(whose);
    }

    private void well(long whose) {
        if (troubled.remove(whose) && troubled.isEmpty()) {
            log.info("the files of runs are written again");
        }
    }

    /** Finds out what there is to look at. */
    private void notice(State state, boolean isNews) throws StoreFailure {
        if (!isBegun) {
            begin(state);
            isBegun = true;
        }
        for (long id = lastRun + 1; id <= state.marks().run(); id++) {
            runs.find(id).ifPresent(run -> follow(run, Instant.MIN));
            lastRun = id;
        }
        if (followed.isEmpty()) {
            seen = state.marks().seq();
        } else {
            readOn(state.marks().seq());
        }
        takeLeftOut();
        if (isNews) {
            followed.values().forEach(Followed::shaken);
        }
        if (areLogsBound) {
            areLogsBound = false;
            followed.values().forEach(Followed::stale);
        }
    }

    private void follow(LaneRun run, Instant toldUntil) {
        followed.put(run.id(), new Followed(run, toldUntil, outlets.nanos().getAsLong()));
    }

    private void readOn(long last) throws StoreFailure {
        while (seen < last) {
            var page = queries.eventsAfter(seen, PAGE);
            if (page.isEmpty()) {
                return;
            }
            for (var event : page) {
                // What is newer may be of a run that is not known here yet.
                if (event.seq() > last) {
                    return;
                }
                followed.values().forEach(one -> one.happened(event));
                seen = event.seq();
            }
        }
    }

    private void takeLeftOut() {
        for (int i = leftOut.size(); i > 0; i--) {
            var one = leftOut.remove();
            var run = followed.get(one.run());
            if (run != null) {
                run.leftOut(one.problems());
            } else if (one.run() > lastRun) {
                leftOut.add(one);
            }
        }
    }

    /** Takes up the runs of earlier servers whose last state nobody has written. */
    private void begin(State state) throws StoreFailure {
        lastRun = state.marks().run();
        seen = state.marks().seq();
        var from = engine.now();
        for (var run : queries.runs(RECENT)) {
            var told = outlets.files().read(run.id());
            boolean isOver = run.isOver() && run.left(state.tasks()) == 0;
            if (run.id() > lastRun || (isOver && told.filter(Told::isLast).isPresent())) {
                continue;
            }
            // Somebody may have removed the state of one that is over: its log is not told again.
            var until = told.map(Told::updatedAt).orElse(isOver ? Instant.MAX : Instant.MIN);
            follow(run, until);
            var earliest = until.isBefore(run.startedAt()) ? run.startedAt() : until;
            from = earliest.isBefore(from) ? earliest : from;
        }
        if (!followed.isEmpty()) {
            seen = before(from);
        }
    }

    private long before(Instant from) throws StoreFailure {
        long at = seen;
        for (int page = 0; page < MOST_PAGES && at > 0; page++) {
            at = Math.max(0, at - PAGE);
            var first = queries.eventsAfter(at, 1);
            if (!first.isEmpty() && first.getFirst().at().isBefore(from)) {
                break;
            }
        }
        return at;
    }

    /** What is known now is still written. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(PATIENCE);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
