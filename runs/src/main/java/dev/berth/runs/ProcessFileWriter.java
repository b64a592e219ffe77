package dev.berth.runs;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineState;
import dev.berth.feed.EventFeed;
import dev.berth.feed.FailureLog;
import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Keeps Berth's records in the process file up to date, and passes on the reports of scripts. The
 * database has precedence: records dropped by others are written again. Nothing waits for this
 * thread; if the file cannot be written, tasks still run.
 */
public final class ProcessFileWriter implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ProcessFileWriter.class);

    /** Reports of scripts are read within this time. */
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(200);

    private static final Duration SHELL_INTERVAL = Duration.ofMillis(10);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration IDLE = Duration.ofMinutes(10);

    private final ProcessFile file;
    private final EngineLoop engine;
    private final TrackedTries tries;
    private final EventFeed feed;

    // Set on the engine's thread.
    private final Queue<FileRun> started = new ConcurrentLinkedQueue<>();
    private volatile PersistentMap<Long, FileRun> runs = PersistentMap.empty();

    // Used only on this thread.
    private boolean hasBegun;
    private final Set<AttemptId> reported = new TreeSet<>();
    private List<TaskTry> written = List.of();
    private Optional<ProcessFileContent.FileStamp> seen = Optional.empty();
    private final WritePace pace = new WritePace(System.nanoTime());

    /** Read by other threads. */
    private volatile boolean isIdle;

    private volatile Set<String> maintained = Set.of();

    private ProcessFileWriter(
            ProcessFile file, EngineLoop engine, TaskQueries queries, CommandPids pids) {
        this.file = file;
        this.engine = engine;
        this.feed =
                new EventFeed(
                        new EventFeed.Source(queries, () -> engine.state().lastIds().seq()),
                        new EventFeed.Settings(
                                Duration.ZERO,
                                AFTER_FAILURE,
                                true,
                                new FailureLog(
                                        log,
                                        "the process file is not up to date",
                                        "the process file is up to date again")));
        this.tries = new TrackedTries(queries, feed, pids);
    }

    /** Starts a thread that keeps the file up to date. */
    public static ProcessFileWriter open(
            ProcessFile file, EngineLoop engine, TaskQueries queries, CommandPids pids) {
        var book = new ProcessFileWriter(file, engine, queries, pids);
        engine.onPublish(book::onPublish);
        book.feed.start(
                Thread.ofPlatform().daemon().name("process-file").factory(), _ -> book.pass());
        return book;
    }

    /** Runs on the engine's thread, so it only sets fields. */
    @SuppressWarnings("ReferenceEquality") // an unchanged map is the same instance
    private void onPublish(EngineState state) {
        var now = state.durable().fileRuns();
        if (now != runs) {
            now.values().filter(run -> !runs.contains(run.id())).forEach(started::add);
            runs = now;
        }
        if (!isIdle || !now.isEmpty()) {
            feed.wake();
        }
    }

    /** True for records that Berth maintains. */
    boolean maintains(String uniId) {
        return maintained.contains(uniId);
    }

    ProcessFile file() {
        return file;
    }

    /** Reads and writes once. */
    private EventFeed.Rest pass() throws IOException, StoreFailure {
        var state = engine.state();
        trackRuns(state);
        var text = file.readInTime();
        passOnReports(text);
        var wanted = tries.current(System.nanoTime());
        if (isDue(text, wanted) && !pace.isDue(System.nanoTime()) && !feed.isClosed()) {
            // Reports are read on time also while a large file is not written yet.
            return restBeforeWrite();
        }
        write(text, wanted);
        tries.removeEnded(state);
        maintained = tries.uniIds();
        isIdle = tries.isIdle();
        return new EventFeed.Rest(restOfPace(), nextWait());
    }

    private EventFeed.Rest restBeforeWrite() {
        var rest = restOfPace();
        return new EventFeed.Rest(rest, rest);
    }

    /** At most the time within which reports are read. */
    private Duration restOfPace() {
        var left = pace.left(System.nanoTime());
        return left.compareTo(CHECK_INTERVAL) < 0 ? left : CHECK_INTERVAL;
    }

    private Duration nextWait() {
        return tries.awaitsShell()
                ? SHELL_INTERVAL
                : isIdle && !file.hasUnconfirmedEdits() ? IDLE : CHECK_INTERVAL;
    }

    private void trackRuns(EngineState state) throws StoreFailure {
        if (!hasBegun) {
            tries.begin(state);
            hasBegun = true;
        }
        var more = new ArrayList<FileRun>();
        for (var run = started.poll(); run != null; run = started.poll()) {
            more.add(run);
        }
        tries.follow(state, more);
    }

    /** Passes on the first report of each attempt. */
    private void passOnReports(ProcessFileContent text) {
        var live = tries.live().toList();
        for (var one : live) {
            if (!reported.contains(one.attempt())) {
                TaskTry.readReport(text.tree(), one.uniId(), engine.now())
                        .ifPresent(
                                said -> {
                                    reported.add(one.attempt());
                                    log.info(
                                            "task={} attempt={} its script says that it ended {}",
                                            one.attempt().task(),
                                            one.attempt().number(),
                                            said.isSuccess() ? "well" : "badly");
                                    engine.observe(new Fact.ScriptReported(one.attempt(), said));
                                });
            }
        }
        reported.retainAll(live.stream().map(TaskTry::attempt).collect(Collectors.toSet()));
    }

    private boolean isDue(ProcessFileContent text, List<TaskTry> wanted) {
        boolean isChanged =
                text.isBroken()
                        || !text.identity().equals(seen)
                        || !wanted.equals(written)
                        || file.hasUnconfirmedEdits();
        return isChanged && !(wanted.isEmpty() && text.isAbsent());
    }

    private void write(ProcessFileContent text, List<TaskTry> wanted) throws IOException {
        if (!isDue(text, wanted)) {
            return;
        }
        long begin = System.nanoTime();
        var leftOut = new AtomicInteger();
        var own = tries.uniIds();
        var left =
                file.update(
                        tree -> {
                            wanted.forEach(one -> one.writeTo(tree));
                            leftOut.set(ProcessFileTrimming.trim(tree, () -> liveUniIds(own)));
                        });
        if (leftOut.get() > 0 && !left.identity().equals(seen)) {
            log.info(
                    "the process file grew too large: the oldest {} of its ended records are left"
                            + " out",
                    leftOut.get());
        }
        seen = left.identity();
        written = wanted;
        pace.written(begin, System.nanoTime());
    }

    /** Includes runs that started during this pass: their scripts may write first. */
    private Set<String> liveUniIds(Set<String> own) {
        var live = new TreeSet<>(own);
        engine.state().tasks().values().map(Task::uniId).forEach(live::add);
        return live;
    }

    /** Returns after the file contains everything up to now. */
    @Override
    public void close() {
        feed.close();
    }
}
