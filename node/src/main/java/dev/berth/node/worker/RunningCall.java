package dev.berth.node.worker;

import dev.berth.core.task.ShimProcess;
import dev.berth.jsontext.JsonWriter;
import dev.berth.port.Node;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;

/** A task that was given to a worker. Its channel guards it. */
final class RunningCall {

    private static final Duration MIN_PROGRESS = Duration.ofMillis(500);

    private final Node.Call order;
    private final CallLog log;
    private final List<Future<?>> timers = new ArrayList<>(2);
    private @Nullable ShimProcess process;
    private boolean isStartReported;
    private boolean isCancelled;
    private boolean hasProgress;
    private long progressNanos;

    RunningCall(Node.Call order, CallLog log) {
        this.order = order;
        this.log = log;
    }

    Node.Call order() {
        return order;
    }

    CallLog log() {
        return log;
    }

    boolean isTask(long task) {
        return order.attempt().task().value() == task;
    }

    /** The order to run it. */
    String message() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("type", "run");
        fields.put("task", order.attempt().task().value());
        order.taskType().ifPresent(type -> fields.put("task_type", type));
        var head = JsonWriter.write(fields);
        // The parameters are JSON already.
        return head.substring(0, head.length() - 1) + ",\"params\":" + order.params() + "}";
    }

    boolean isSent() {
        return process != null;
    }

    void sent(ShimProcess worker) {
        process = worker;
    }

    /** Its process, once: to report that it has started. */
    Optional<ShimProcess> unreportedStart() {
        if (isStartReported) {
            return Optional.empty();
        }
        isStartReported = process != null;
        return Optional.ofNullable(process);
    }

    boolean isCancelled() {
        return isCancelled;
    }

    void cancelled() {
        isCancelled = true;
    }

    /** Not more often than a person can read, however often the worker reports it. */
    boolean isProgressDue(long now) {
        boolean isDue = !hasProgress || now - progressNanos >= MIN_PROGRESS.toNanos();
        if (isDue) {
            hasProgress = true;
            progressNanos = now;
        }
        return isDue;
    }

    /** Until it ends. */
    void keep(Future<?> timer) {
        timers.add(timer);
    }

    void close() {
        timers.forEach(timer -> timer.cancel(false));
        log.close();
    }
}
