package dev.berth.server.stream;

import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineState;
import dev.berth.feed.EventFeed;
import dev.berth.feed.FailureLog;
import dev.berth.http.Caller;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Turns committed events into messages on one thread, and wakes the streams that wait for them. It
 * does nothing while no stream is open.
 */
public final class EventBroadcast implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EventBroadcast.class);

    /** Collects events that are committed shortly after each other. */
    private static final Duration BATCH = Duration.ofMillis(10);

    /**
     * Each pass wakes every stream, so with many of them the passes are further apart. Otherwise
     * hundreds of streams would take all cores to send single events.
     */
    private static final Duration PAUSE_PER_STREAM = Duration.ofNanos(400_000);

    private static final Duration MAX_PAUSE = Duration.ofMillis(100);

    private static final long GPU_INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long QUEUE_INTERVAL_NANOS = Duration.ofMillis(200).toNanos();
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration IDLE = Duration.ofMinutes(1);

    private final EngineLoop engine;
    private final EventFeed feed;
    private final LiveSources sources;
    private final LatestView gpus;
    private final LatestView queue;
    private final MessageBuffer kept = new MessageBuffer();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Condition closing = lock.newCondition();
    private final AtomicInteger listeners = new AtomicInteger();
    private volatile Duration lastLag = Duration.ZERO;

    /**
     * How state becomes messages.
     *
     * @param events turns a page of events into messages
     * @param gpus the current state of all GPUs, in records that compare by value
     * @param queue the current state of the queue, in such records
     */
    public record LiveSources(
            EventRenderer events, Supplier<Object> gpus, Supplier<Object> queue) {}

    /**
     * Turns events into messages by sequence number; an event that clients do not receive becomes
     * an empty message.
     */
    @FunctionalInterface
    public interface EventRenderer {
        NavigableMap<Long, EventMessage> messages(List<Event> events) throws StoreFailure;
    }

    private EventBroadcast(EngineLoop engine, TaskQueries queries, LiveSources sources) {
        this.engine = engine;
        this.sources = sources;
        this.gpus = new LatestView("gpu", GPU_INTERVAL_NANOS, sources.gpus());
        this.queue = new LatestView("queue", QUEUE_INTERVAL_NANOS, sources.queue());
        this.feed =
                new EventFeed(
                        new EventFeed.Source(queries, this::lastCommitted),
                        new EventFeed.Settings(
                                BATCH,
                                AFTER_FAILURE,
                                false,
                                new FailureLog(
                                        log,
                                        "events cannot be sent now",
                                        "events are sent again")));
    }

    /** Starts the thread that makes messages. */
    public static EventBroadcast start(
            EngineLoop engine, TaskQueries queries, LiveSources sources) {
        var broadcast = new EventBroadcast(engine, queries, sources);
        engine.onPublish(broadcast::published);
        broadcast.feed.start(
                Thread.ofPlatform().name("events").daemon().factory(), broadcast::refresh);
        return broadcast;
    }

    /** Called on the engine's thread, so it only wakes the feed. */
    private void published(EngineState state) {
        if (listeners.get() > 0) {
            feed.wake();
        }
    }

    /** Opens a subscription; closing it ends it. */
    Subscription subscribe() {
        lock.lock();
        try {
            if (listeners.get() == 0) {
                kept.restart(engine.state().lastIds().seq());
                lastLag = Duration.ZERO;
                // The views were not refreshed while no stream was open.
                gpus.reset();
                queue.reset();
            }
            listeners.incrementAndGet();
        } finally {
            lock.unlock();
        }
        feed.wake();
        return new Subscription();
    }

    /** One open stream. */
    final class Subscription implements AutoCloseable {
        private long gpus;
        private long queue;

        /** The views that are newer than those already sent. */
        List<byte[]> newViews() {
            var newGpus = EventBroadcast.this.gpus.newest();
            var newQueue = EventBroadcast.this.queue.newest();
            var list = new java.util.ArrayList<byte[]>();
            if (newGpus.version() > gpus) {
                list.add(newGpus.message());
            }
            if (newQueue.version() > queue) {
                list.add(newQueue.message());
            }
            gpus = newGpus.version();
            queue = newQueue.version();
            return list;
        }

        /** Waits until there may be something to send. */
        void await(long seen, long nanos) throws InterruptedException {
            lock.lock();
            try {
                long left = nanos;
                while (left > 0 && !isClosed() && !hasUnsent(seen)) {
                    left = changed.awaitNanos(left);
                }
            } finally {
                lock.unlock();
            }
        }

        private boolean hasUnsent(long seen) {
            return kept.to() > seen
                    || EventBroadcast.this.gpus.newest().version() > gpus
                    || EventBroadcast.this.queue.newest().version() > queue;
        }

        @Override
        public void close() {
            lock.lock();
            try {
                listeners.decrementAndGet();
            } finally {
                lock.unlock();
            }
        }
    }

    MessageBuffer.Batch after(long seen, long mostBytes, Caller reader) {
        return kept.after(seen, mostBytes, reader);
    }

    /** The last committed event. */
    long lastCommitted() {
        return engine.state().lastIds().seq();
    }

    /** Older messages, rendered again from the store. */
    NavigableMap<Long, EventMessage> olderMessages(long seen) throws StoreFailure {
        return sources.events().messages(feed.pageAfter(seen));
    }

    /** Waits, but returns at once when this is closed. */
    void pause(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (left > 0 && !isClosed()) {
                left = closing.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    public int clients() {
        return listeners.get();
    }

    /**
     * The delay between the commit of the last event and its message, or the age of the oldest
     * event that has no message yet. Zero while no stream is open.
     */
    public Duration lag() {
        if (listeners.get() == 0) {
            return Duration.ZERO;
        }
        try {
            var unsent =
                    kept.to() < lastCommitted()
                            ? feed.firstAfter(kept.to())
                            : Optional.<Event>empty();
            return unsent.map(this::since).orElse(lastLag);
        } catch (StoreFailure failure) {
            log.warn("events cannot be read now: {}", failure.getMessage());
            return lastLag;
        }
    }

    private Duration since(Event event) {
        return Duration.between(event.at(), engine.now());
    }

    boolean isClosed() {
        return feed.isClosed();
    }

    /** Events and views fail independently, so that the others are still sent. */
    private EventFeed.Rest refresh(boolean wasWoken) throws StoreFailure {
        if (listeners.get() == 0) {
            return EventFeed.Rest.idle(IDLE);
        }
        if (wasWoken) {
            gpus.markStale();
            queue.markStale();
        }
        long before = versions();
        try {
            readEvents();
        } finally {
            try {
                long now = System.nanoTime();
                gpus.refresh(now);
                queue.refresh(now);
            } finally {
                if (versions() != before) {
                    wakeAll();
                }
            }
        }
        return new EventFeed.Rest(pause(listeners.get()), untilDue());
    }

    /** The least time between two passes. */
    static Duration pause(int streams) {
        var pause = PAUSE_PER_STREAM.multipliedBy(streams);
        return pause.compareTo(MAX_PAUSE) < 0 ? pause : MAX_PAUSE;
    }

    /** Differs after any change that streams send. */
    private long versions() {
        return kept.to() + gpus.newest().version() + queue.newest().version();
    }

    private Duration untilDue() {
        long now = System.nanoTime();
        long due = Math.min(gpus.nanosUntilDue(now), queue.nanosUntilDue(now));
        return Duration.ofNanos(Math.clamp(due, 0, IDLE.toNanos()));
    }

    private void readEvents() throws StoreFailure {
        // A new first stream may have restarted the buffer since the last pass.
        feed.moveTo(kept.to());
        feed.read(
                page -> {
                    kept.add(feed.position(), sources.events().messages(page));
                    lastLag = since(page.getFirst());
                });
    }

    private void wakeAll() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends every stream at once. Browsers reconnect by themselves. */
    @Override
    public void close() {
        feed.stop();
        lock.lock();
        try {
            changed.signalAll();
            closing.signalAll();
        } finally {
            lock.unlock();
        }
        feed.close();
    }
}
