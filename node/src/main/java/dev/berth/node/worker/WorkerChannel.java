package dev.berth.node.worker;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ShimProcess;
import dev.berth.findings.progress.Progress;
import dev.berth.jsontext.JsonWriter;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.port.Fact;
import dev.berth.port.Fact.WorkerFault;
import dev.berth.port.Node;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/** Speaks with one worker: at most one task at a time, and a question now and then. */
final class WorkerChannel {

    private static final Logger log = LoggerFactory.getLogger(WorkerChannel.class);

    private static final int MAX_MESSAGE_CHARS = 4000;
    private static final Duration MIN_PROGRESS = Duration.ofMillis(500);

    private final AttemptId id;
    private final ShimProcess process;
    private final WorkerLink link;
    private final WorkerSettings settings;
    private final Consumer<Fact> facts;
    private final Function<AttemptId, AttemptDirectory> directories;
    private final ReentrantLock lock = new ReentrantLock();
    private final long startedNanos = System.nanoTime();

    private volatile Instant heardAt = Instant.now();
    private long heardNanos = System.nanoTime();
    private long pingedNanos = System.nanoTime();
    private boolean isReady;
    private boolean hasFailed;
    private @Nullable RunningCall call;

    /** A task that was given to the worker. */
    private static final class RunningCall {
        private final Node.Call order;
        private final CallLog log;
        private boolean isSent;
        private boolean isTimeReported;
        private long sentNanos;
        private long cancelledNanos;
        private boolean isCancelled;
        private boolean hasProgress;
        private long progressNanos;

        RunningCall(Node.Call order, CallLog log) {
            this.order = order;
            this.log = log;
        }

        boolean isTask(long task) {
            return order.attempt().task().value() == task;
        }
    }

    /**
     * What all channels share.
     *
     * @param facts takes what becomes of workers and their tasks
     * @param directories the directories of attempts
     */
    record ChannelContext(
            WorkerSettings settings,
            Consumer<Fact> facts,
            Function<AttemptId, AttemptDirectory> directories) {}

    WorkerChannel(AttemptId id, ShimProcess process, WorkerLink link, ChannelContext context) {
        this.id = id;
        this.process = process;
        this.link = link;
        this.settings = context.settings();
        this.facts = context.facts();
        this.directories = context.directories();
    }

    Instant heardAt() {
        return heardAt;
    }

    /** The worker runs it at once, or when it is ready. */
    void call(Node.Call order) {
        lock.lock();
        try {
            var log = new CallLog(directories.apply(order.attempt()), settings.logCapBytes());
            call = new RunningCall(order, log);
            if (isReady) {
                send(call);
            }
        } finally {
            lock.unlock();
        }
    }

    private void send(RunningCall next) {
        var order = next.order;
        var message = new LinkedHashMap<String, Object>();
        message.put("type", "run");
        message.put("task", order.attempt().task().value());
        order.taskType().ifPresent(type -> message.put("task_type", type));
        var head = JsonWriter.write(message);
        // The parameters are JSON already.
        link.send(head.substring(0, head.length() - 1) + ",\"params\":" + order.params() + "}");
        next.isSent = true;
        next.sentNanos = System.nanoTime();
        facts.accept(
                new Fact.Started(order.attempt(), new ShimProcess(process.key(), Instant.now())));
    }

    /** False if the worker does not have this task. */
    boolean cancel(AttemptId attempt) {
        lock.lock();
        try {
            var current = call;
            if (current == null || !current.order.attempt().equals(attempt)) {
                return false;
            }
            if (!current.isSent) {
                end(current, new Ending.NeverStarted(), Optional.empty());
            } else if (!current.isCancelled) {
                current.isCancelled = true;
                current.cancelledNanos = System.nanoTime();
                link.send("{\"type\":\"cancel\",\"task\":" + attempt.task().value() + "}");
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    void received(String line) {
        var message = WorkerMessage.parse(line);
        Optional<CallLog> log = Optional.empty();
        lock.lock();
        try {
            heardNanos = System.nanoTime();
            heardAt = Instant.now();
            if (message.isPresent() && message.get() instanceof WorkerMessage.Log(long task, _)) {
                log = of(task).map(current -> current.log);
            } else if (message.isPresent()) {
                handle(message.get());
            } else {
                fail(
                        WorkerFault.PROTOCOL,
                        "printed a line that is not a message: "
                                + line.substring(0, Math.min(line.length(), 80)));
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
            case WorkerMessage.Error(long task, String type, String text) ->
                    answer(task, failure(type, text), Optional.empty());
        }
    }

    private void ready() {
        if (isReady) {
            return;
        }
        isReady = true;
        facts.accept(new Fact.WorkerReady(id, Duration.ofNanos(System.nanoTime() - startedNanos)));
        var waiting = call;
        if (waiting != null) {
            send(waiting);
        }
    }

    /** Late lines of a task that has ended are dropped. */
    private Optional<RunningCall> of(long task) {
        return Optional.ofNullable(call).filter(one -> one.isSent && one.isTask(task));
    }

    /** Not more often than a person can read, however often the worker reports it. */
    private void progress(RunningCall current, long done, long total) {
        long now = System.nanoTime();
        boolean isDue =
                !current.hasProgress || now - current.progressNanos >= MIN_PROGRESS.toNanos();
        if (total >= 1 && done >= 0 && done <= total && isDue) {
            current.hasProgress = true;
            current.progressNanos = now;
            facts.accept(
                    new Fact.Progressed(
                            current.order.attempt(),
                            new Progress(
                                    done,
                                    total,
                                    "step",
                                    OptionalDouble.empty(),
                                    Optional.empty(),
                                    done + "/" + total)));
        }
    }

    private static Ending failure(String type, String text) {
        var message = text.isEmpty() ? "the worker reported " + type : text;
        return new Ending.CallFailed(
                type.isEmpty() ? "error" : type,
                message.substring(0, Math.min(message.length(), MAX_MESSAGE_CHARS)));
    }

    private void answer(long task, Ending ending, Optional<String> result) {
        var current = of(task);
        if (current.isPresent()) {
            end(current.get(), ending, result);
        } else {
            fail(WorkerFault.PROTOCOL, "answered task " + task + ", which it does not run");
        }
    }

    private void end(RunningCall current, Ending ending, Optional<String> result) {
        call = null;
        current.log.close();
        facts.accept(new Fact.CallEnded(current.order.attempt(), ending, result));
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
                            "was not ready within " + settings.loadLimit().toSeconds() + " s");
                }
                return;
            }
            if (now - heardNanos > settings.silenceLimit().toNanos()) {
                fail(
                        WorkerFault.SILENT,
                        "has not answered for " + settings.silenceLimit().toSeconds() + " s");
            } else if (now - pingedNanos >= settings.pingInterval().toNanos()) {
                pingedNanos = now;
                link.send("{\"type\":\"ping\"}");
            }
            var current = call;
            if (current != null && current.isSent) {
                checkTimes(current, now);
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkTimes(RunningCall current, long now) {
        var limit = current.order.timeLimit();
        if (limit.isPresent()
                && !current.isTimeReported
                && now - current.sentNanos >= limit.get().toNanos()) {
            current.isTimeReported = true;
            facts.accept(new Fact.TimeLimitReached(current.order.attempt()));
        }
        if (current.isCancelled
                && now - current.cancelledNanos > settings.cancelLimit().toNanos()) {
            fail(
                    WorkerFault.PROTOCOL,
                    "did not end a cancelled task within "
                            + settings.cancelLimit().toSeconds()
                            + " s");
        }
    }

    /** Once: the engine ends the worker. */
    void fail(WorkerFault fault, String why) {
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
        link.close();
        lock.lock();
        try {
            var current = call;
            if (current != null) {
                current.log.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
