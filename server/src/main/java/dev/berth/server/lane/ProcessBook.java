package dev.berth.server.lane;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.State;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Keeps Berth's records in the process file right, and passes on what scripts say there. The
 * database is the truth: what others drop is written again. Nothing waits for this; where the file
 * cannot be written, tasks run all the same.
 */
public final class ProcessBook implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ProcessBook.class);

    /** Scripts' words are heard within this time. */
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    /** What happens within this time is written together. */
    private static final Duration PACE = Duration.ofMillis(50);

    private static final Duration SOON = Duration.ofMillis(10);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration IDLE = Duration.ofMinutes(10);
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final ProcessFile file;
    private final EngineLoop engine;
    private final ProcessFileTries tries;
    private final Semaphore bell = new Semaphore(0);
    private final Thread thread = Thread.ofVirtual().name("process-file").unstarted(this::run);
    private volatile boolean closed;

    // Left by the engine's thread.
    private final Queue<LaneRun> started = new ConcurrentLinkedQueue<>();
    private volatile PersistentMap<Long, LaneRun> runs = PersistentMap.empty();

    // This thread's own.
    private boolean hasBegun;
    private boolean isFailing;
    private final Set<AttemptId> heard = new TreeSet<>();
    private List<ProcessFileTry> written = List.of();
    private Optional<ProcessFileText.Identity> seen = Optional.empty();
    private long wroteAt = System.nanoTime() - PACE.toNanos();

    /** For others to read. */
    private volatile boolean isIdle;

    private volatile Set<String> kept = Set.of();

    private ProcessBook(
            ProcessFile file, EngineLoop engine, TaskQueries queries, CommandPids pids) {
        this.file = file;
        this.engine = engine;
        this.tries = new ProcessFileTries(queries, pids);
    }

    /** Brings the file up to date, and keeps it so. */
    public static ProcessBook open(
            ProcessFile file, EngineLoop engine, TaskQueries queries, CommandPids pids) {
        var book = new ProcessBook(file, engine, queries, pids);
        engine.onPublish(book::published);
        book.thread.start();
        return book;
    }

    /** On the engine's own thread, so only a word is left. */
    @SuppressWarnings("ReferenceEquality") // the same map has the same runs in it
    private void published(State state) {
        var now = state.books().runs();
        if (now != runs) {
            now.values().filter(run -> !runs.contains(run.id())).forEach(started::add);
            runs = now;
        }
        if ((!isIdle || !now.isEmpty()) && bell.availablePermits() == 0) {
            bell.release();
        }
    }

    /** Records that Berth keeps right by itself. */
    boolean keeps(String uniId) {
        return kept.contains(uniId);
    }

    ProcessFile file() {
        return file;
    }

    private void run() {
        try {
            var wait = pass();
            while (!closed) {
                // Rung or not, it is time to look.
                var _ = bell.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
                bell.drainPermits();
                if (!closed) {
                    LockSupport.parkNanos(wroteAt + PACE.toNanos() - System.nanoTime());
                    wait = pass();
                }
            }
            var _ = pass();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Looks and writes once; how long to wait before the next time, if nothing happens. */
    private Duration pass() {
        try {
            var state = engine.state();
            follow(state);
            var text = file.look();
            hear(text);
            var wanted = tries.wanted(System.nanoTime());
            write(text, wanted);
            tries.forget(state);
            kept = tries.uniIds();
            isIdle = tries.isIdle();
            recovered();
            return rest();
        } catch (IOException | StoreFailure | RuntimeException failure) {
            if (!isFailing) {
                isFailing = true;
                log.warn("the process file is not up to date: {}", failure.toString());
            }
            return AFTER_FAILURE;
        }
    }

    private void recovered() {
        if (isFailing) {
            isFailing = false;
            log.info("the process file is up to date again");
        }
    }

    private Duration rest() {
        return tries.awaitsShell() ? SOON : isIdle && !file.isToBeWatched() ? IDLE : LOOK_EVERY;
    }

    private void follow(State state) throws StoreFailure {
        if (!hasBegun) {
            tries.begin(state);
            hasBegun = true;
        }
        var more = new ArrayList<LaneRun>();
        for (var run = started.poll(); run != null; run = started.poll()) {
            more.add(run);
        }
        tries.follow(state, more);
    }

    /** The first word of each attempt. */
    private void hear(ProcessFileText text) {
        var live = tries.live().toList();
        for (var one : live) {
            if (!heard.contains(one.attempt())) {
                ProcessFileTry.said(text.tree(), one.uniId(), engine.now())
                        .ifPresent(
                                said -> {
                                    heard.add(one.attempt());
                                    log.info(
                                            "task={} attempt={} its script says that it ended {}",
                                            one.attempt().task(),
                                            one.attempt().number(),
                                            said.isWell() ? "well" : "badly");
                                    engine.observe(new Fact.Spoken(one.attempt(), said));
                                });
            }
        }
        heard.retainAll(live.stream().map(ProcessFileTry::attempt).collect(Collectors.toSet()));
    }

    private void write(ProcessFileText text, List<ProcessFileTry> wanted) throws IOException {
        boolean isDue =
                text.isBroken()
                        || !text.identity().equals(seen)
                        || !wanted.equals(written)
                        || file.isToBeWatched();
        if (!isDue || (wanted.isEmpty() && text.isAbsent())) {
            return;
        }
        var leftOut = new AtomicInteger();
        var left =
                file.update(
                        tree -> {
                            wanted.forEach(one -> one.into(tree));
                            leftOut.set(ProcessFileRoom.make(tree, this::ofLiveRuns));
                        });
        if (leftOut.get() > 0 && !left.identity().equals(seen)) {
            log.info(
                    "the process file grew too large: the oldest {} of its ended records are left"
                            + " out",
                    leftOut.get());
        }
        seen = left.identity();
        written = wanted;
        wroteAt = System.nanoTime();
    }

    /** Also those that have begun since this pass did: their scripts may write first. */
    private Set<String> ofLiveRuns() {
        var live = new TreeSet<>(tries.uniIds());
        engine.state().tasks().values().map(Task::uniId).forEach(live::add);
        return live;
    }

    /** Returns when the file has what happened up to now. */
    @Override
    public void close() {
        closed = true;
        bell.release();
        try {
            thread.join(CLOSING);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
