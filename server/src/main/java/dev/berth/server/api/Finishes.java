package dev.berth.server.api;

import dev.berth.core.task.TaskId;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.State;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets many callers wait for the ends of tasks; each is woken when its own task is over, and costs
 * nothing before.
 */
public final class Finishes implements AutoCloseable {

    private final EngineLoop engine;
    private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** One caller: not a record, because two who wait for the same task are two. */
    private static final class Waiter {
        private final TaskId task;
        private final CountDownLatch over = new CountDownLatch(1);

        private Waiter(TaskId task) {
            this.task = task;
        }
    }

    public Finishes(EngineLoop engine) {
        this.engine = engine;
        engine.onPublish(this::published);
    }

    /** Returns when the task has ended, or the time, or this server. */
    void await(TaskId task, Duration atMost) {
        var waiter = new Waiter(task);
        waiters.add(waiter);
        try {
            // Looked at after joining, so that an end in between is not missed.
            if (!closed && isLive(task, engine.state())) {
                var _ = waiter.over.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            waiters.remove(waiter);
        }
    }

    private void published(State state) {
        for (var waiter : waiters) {
            if (!isLive(waiter.task, state)) {
                waiter.over.countDown();
            }
        }
    }

    /** The engine keeps the tasks that are not finished, and no others. */
    private static boolean isLive(TaskId task, State state) {
        return state.tasks().contains(task);
    }

    @Override
    public void close() {
        closed = true;
        waiters.forEach(waiter -> waiter.over.countDown());
    }
}
