package dev.berth.node.worker;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.ShimProcess;
import dev.berth.findings.progress.Progress;
import dev.berth.port.Fact;
import dev.berth.port.Fact.WorkerFault;
import dev.berth.port.Node;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Speaks with one worker: at most one task at a time, and a question now and then. */
final class WorkerChannel implements WorkerLink.Receiver {

    private static final Logger log = LoggerFactory.getLogger(WorkerChannel.class);

    /**
     * A task that ends within this time is reported as started and ended at once, in one commit.
     */
    private static final Duration START_REPORT = Duration.ofMillis(12);

    /** The end of a worker is reported within this time after its pipes are closed. */
    private static final Duration END_REPORT = Duration.ofSeconds(3);

    private final AttemptId id;
    private final ShimProcess process;
    private final WorkerLink link;
    private final ChannelContext context;
    private final WorkerSettings settings;
    private final Consumer<Fact> facts;
    private final ReentrantLock lock = new ReentrantLock();
    private final long startedNanos = System.nanoTime();

    private volatile boolean isClosed;
    private volatile Instant heardAt = Instant.now();
    private long heardNanos = System.nanoTime();
    private long pingedNanos = System.nanoTime();
    private boolean isReady;
    private boolean hasFailed;
    private @Nullable RunningCall call;

    WorkerChannel(AttemptId id, ShimProcess process, WorkerLink link, ChannelContext context) {
        this.id = id;
        this.process = process;
        this.link = link;
        this.context = context;
        this.settings = context.settings();
        this.facts = context.facts();
    }

    void open() {
        context.failpoints().reach("worker.before-open");
        link.start(this);
    }

    Instant heardAt() {
        return heardAt;
    }

    /** The worker runs it at once, or when it is ready. */
    void call(Node.Call order) {
        lock.lock();
        try {
            call = new RunningCall(order, callLog(order));
            if (isReady) {
                send(call);
            }
        } finally {
            lock.unlock();
        }
    }

    private CallLog callLog(Node.Call order) {
        var files = context.files();
        return new CallLog(
                files.directory(order.attempt()),
                () ->
                        order.reader().isPresent()
                                ? files.reader(order.reader().get())
                                : OptionalInt.empty(),
                settings.logCapBytes());
    }

    private void send(RunningCall next) {
        context.failpoints().reach("worker.before-send");
        context.uses().callStarted(attempt(next), id);
        next.sent(new ShimProcess(process.key(), Instant.now()));
        link.send(next.message());
        context.failpoints().reach("worker.after-send");
        schedule(next, START_REPORT, this::reportStart);
        next.order().timeLimit().ifPresent(limit -> schedule(next, limit, this::reportTimeLimit));
    }

    private void schedule(RunningCall current, Duration delay, Consumer<RunningCall> action) {
        Runnable guarded =
                () -> {
                    lock.lock();
                    try {
                        // Another task may have begun since.
                        Optional.ofNullable(call).filter(current::equals).ifPresent(action);
                    } finally {
                        lock.unlock();
                    }
                };
        current.keep(context.timer().schedule(guarded, delay.toNanos(), TimeUnit.NANOSECONDS));
    }

    private void reportStart(RunningCall current) {
        current.unreportedStart()
                .ifPresent(worker -> facts.accept(new Fact.Started(attempt(current), worker)));
    }

    private void reportTimeLimit(RunningCall current) {
        reportStart(current);
        facts.accept(new Fact.TimeLimitReached(attempt(current)));
    }

    private static AttemptId attempt(RunningCall current) {
        return current.order().attempt();
    }

    /** False if the worker does not have this task. */
    boolean cancel(AttemptId attempt) {
        lock.lock();
        try {
            var current = call;
            if (current == null || !attempt(current).equals(attempt)) {
                return false;
            }
            if (!current.isSent()) {
                end(current, new Ending.NeverStarted(), Optional.empty());
            } else if (!current.isCancelled()) {
                current.cancelled();
                link.send("{\"type\":\"cancel\",\"task\":" + attempt.task().value() + "}");
                schedule(current, settings.cancelLimit(), _ -> failUncancelled());
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void failUncancelled() {
        long seconds = settings.cancelLimit().toSeconds();
        fail(WorkerFault.PROTOCOL, ErrorSentence.WORKER_CANCEL.text(seconds));
    }

    @Override
    public void received(String line) {
        var message = WorkerMessage.parse(line);
        Optional<CallLog> log = Optional.empty();
        lock.lock();
        try {
            heardNanos = System.nanoTime();
            heardAt = Instant.now();
            if (message.isPresent() && message.get() instanceof WorkerMessage.Log(long task, _)) {
                log = of(task).map(RunningCall::log);
            } else if (message.isPresent()) {
                handle(message.get());
            } else {
                fail(
                        WorkerFault.PROTOCOL,
                        ErrorSentence.WORKER_LINE.text(
                                line.substring(0, Math.min(line.length(), 80))));
            }
        } finally {
            lock.unlock();
        }
        // Without the lock: the engine's thread takes it, and must not wait for a disk.
        if (log.isPresent() && message.get() instanceof WorkerMessage.Log(_, String text)) {
            log.get().add(text);
        }
    }

    private void handle(WorkerMessage message) {
        switch (message) {
            case WorkerMessage.Ready _ -> ready();
            case WorkerMessage.Pong _, WorkerMessage.Log _ -> {}
            case WorkerMessage.Progress(long task, long done, long total) ->
                    of(task).ifPresent(current -> progress(current, done, total));
            case WorkerMessage.Result(long task, String value) ->
                    answer(task, new Ending.Exited(0), Optional.of(value));
            case WorkerMessage.Error error ->
                    answer(error.task(), error.ending(), Optional.empty());
        }
    }

    private void ready() {
        if (isReady) {
            return;
        }
        isReady = true;
        context.failpoints().reach("worker.before-ready");
        facts.accept(new Fact.WorkerReady(id, Duration.ofNanos(System.nanoTime() - startedNanos)));
        var waiting = call;
        if (waiting != null) {
            send(waiting);
        }
    }

    /** Late lines of a task that has ended are dropped. */
    private Optional<RunningCall> of(long task) {
        return Optional.ofNullable(call).filter(one -> one.isSent() && one.isTask(task));
    }

    private void progress(RunningCall current, long done, long total) {
        if (total >= 1 && done >= 0 && done <= total && current.isProgressDue(System.nanoTime())) {
            var steps =
                    new Progress(
                            done,
                            total,
                            "step",
                            OptionalDouble.empty(),
                            Optional.empty(),
                            done + "/" + total);
            facts.accept(new Fact.Progressed(attempt(current), steps));
        }
    }

    private void answer(long task, Ending ending, Optional<String> result) {
        var current = of(task);
        if (current.isPresent()) {
            context.failpoints().reach("worker.before-answer");
            end(current.get(), ending, result);
        } else {
            fail(WorkerFault.PROTOCOL, ErrorSentence.WORKER_OTHER_TASK.text(task));
        }
    }

    private void end(RunningCall current, Ending ending, Optional<String> result) {
        call = null;
        current.close();
        facts.accept(
                new Fact.CallEnded(
                        attempt(current),
                        ending,
                        result,
                        current.unreportedStart(),
                        context.uses().callEnded(attempt(current))));
    }

    /** Looks for what took too long. Called once a second. */
    void tick() {
        lock.lock();
        try {
            long now = System.nanoTime();
            if (!isReady) {
                if (now - startedNanos > settings.loadLimit().toNanos()) {
                    fail(
                            WorkerFault.NOT_READY,
                            ErrorSentence.WORKER_NOT_READY.text(settings.loadLimit().toSeconds()));
                }
            } else if (now - heardNanos > settings.silenceLimit().toNanos()) {
                fail(
                        WorkerFault.SILENT,
                        ErrorSentence.WORKER_SILENT.text(settings.silenceLimit().toSeconds()));
            } else if (now - pingedNanos >= settings.pingInterval().toNanos()) {
                pingedNanos = now;
                link.send("{\"type\":\"ping\"}");
            }
        } finally {
            lock.unlock();
        }
    }

    /** The kernel reports the end of a worker. One that goes on without its pipes is of no use. */
    @Override
    public void broken(String why) {
        var _ =
                context.timer()
                        .schedule(
                                () -> failUnlessClosed(why),
                                END_REPORT.toNanos(),
                                TimeUnit.NANOSECONDS);
    }

    private void failUnlessClosed(String why) {
        if (!isClosed) {
            fail(WorkerFault.PROTOCOL, why);
        }
    }

    /** Once: the engine ends the worker. */
    @Override
    public void fail(WorkerFault fault, String why) {
        lock.lock();
        try {
            if (!hasFailed) {
                hasFailed = true;
                log.warn("worker={} {}", id, why);
                facts.accept(new Fact.WorkerFailed(id, fault, why));
            }
        } finally {
            lock.unlock();
        }
    }

    /** The worker has ended, or the server is going to. */
    void close() {
        isClosed = true;
        link.close();
        lock.lock();
        try {
            var current = call;
            if (current != null) {
                reportStart(current);
                current.close();
                var _ = context.uses().callEnded(attempt(current));
            }
        } finally {
            lock.unlock();
        }
    }
}
