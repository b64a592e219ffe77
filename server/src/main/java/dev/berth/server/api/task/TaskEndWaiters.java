package dev.berth.server.api.task;

import dev.berth.core.id.TaskId;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineState;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets many callers wait for tasks to end. Each is woken when its own task has ended; waiting costs
 * nothing.
 */
public final class TaskEndWaiters implements AutoCloseable {

    private final EngineLoop engine;
    private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Not a record: two callers that wait for the same task are not equal. */
    private static final class Waiter {
        private final TaskId task;
        private final CountDownLatch over = new CountDownLatch(1);

        private Waiter(TaskId task) {
            this.task = task;
        }
    }

    public TaskEndWaiters(EngineLoop engine) {
        this.engine = engine;
        engine.onPublish(this::published);
    }

    /** Returns when the task has ended, the time is over, or the server closes. */
    void await(TaskId task, Duration atMost) {
        var waiter = new Waiter(task);
        waiters.add(waiter);
        try {
            // Checked after joining, so that an end in between is not missed.
            if (!closed && isLive(task, engine.state())) {
                var _ = waiter.over.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            waiters.remove(waiter);
        }
    }

    /** How many callers wait. */
    public int count() {
        return waiters.size();
    }

    private void published(EngineState state) {
        for (var waiter : waiters) {
            if (!isLive(waiter.task, state)) {
                waiter.over.countDown();
            }
        }
    }

    /** The engine holds exactly the tasks that have not ended. */
    private static boolean isLive(TaskId task, EngineState state) {
        return state.tasks().contains(task);
    }

    @Override
    public void close() {
        closed = true;
        waiters.forEach(waiter -> waiter.over.countDown());
    }
}
