package dev.berth.server.stream;

import dev.berth.engine.EngineLoop;
import dev.berth.engine.State;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Turns what happens into messages, on one thread, and wakes those who wait for them. While nobody
 * listens it does nothing.
 */
public final class Broadcast implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Broadcast.class);

    private static final int PAGE = 500;

    /** Events that come together travel together. */
    private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

    private static final long CARDS_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long QUEUE_NANOS = Duration.ofMillis(200).toNanos();
    private static final long AFTER_FAILURE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();

    private final EngineLoop engine;
    private final TaskQueries queries;
    private final Sources sources;
    private final Picture cards;
    private final Picture queue;
    private final Kept kept = new Kept();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Condition ending = lock.newCondition();
    private final Thread thread = Thread.ofPlatform().name("events").daemon().unstarted(this::run);
    private final AtomicInteger listeners = new AtomicInteger();
    private volatile boolean dirty;
    private volatile boolean closed;
    private volatile Duration lastLag = Duration.ZERO;

    /**
     * How things look on the wire.
     *
     * @param events turns a page of events into messages
     * @param cards all cards as they are now, in records that compare by value
     * @param queue the same of the queue
     */
    public record Sources(Rendering events, Supplier<Object> cards, Supplier<Object> queue) {}

    /** Makes messages of events, by their seq; empty ones for what no client is told of. */
    @FunctionalInterface
    public interface Rendering {
        NavigableMap<Long, byte[]> messages(List<Event> events) throws StoreFailure;
    }

    public Broadcast(EngineLoop engine, TaskQueries queries, Sources sources) {
        this.engine = engine;
        this.queries = queries;
        this.sources = sources;
        this.cards = new Picture("gpu", CARDS_NANOS, sources.cards());
        this.queue = new Picture("queue", QUEUE_NANOS, sources.queue());
        engine.onPublish(this::published);
        thread.start();
    }

    /** On the engine's own thread, so only a word is left. */
    private void published(State state) {
        if (listeners.get() > 0) {
            dirty = true;
            LockSupport.unpark(thread);
        }
    }

    /** Begins to listen; ends when it is closed. */
    Seat join() {
        lock.lock();
        try {
            if (listeners.get() == 0) {
                kept.restart(engine.state().marks().seq());
                lastLag = Duration.ZERO;
                // Nobody has looked for a while.
                cards.forget();
                queue.forget();
            }
            listeners.incrementAndGet();
            dirty = true;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(thread);
        return new Seat();
    }

    /** Somebody who listens. */
    final class Seat implements AutoCloseable {
        private long cards;
        private long queue;

        /** The pictures that are newer than those it has seen. */
        List<byte[]> pictures() {
            var newCards = Broadcast.this.cards.newest();
            var newQueue = Broadcast.this.queue.newest();
            var list = new java.util.ArrayList<byte[]>();
            if (newCards.version() > cards) {
                list.add(newCards.message());
            }
            if (newQueue.version() > queue) {
                list.add(newQueue.message());
            }
            cards = newCards.version();
            queue = newQueue.version();
            return list;
        }

        /** Waits until there may be something new. */
        void await(long seen, long nanos) throws InterruptedException {
            lock.lock();
            try {
                long left = nanos;
                while (left > 0 && !closed && !hasNews(seen)) {
                    left = news.awaitNanos(left);
                }
            } finally {
                lock.unlock();
            }
        }

        private boolean hasNews(long seen) {
            return kept.to() > seen
                    || Broadcast.this.cards.newest().version() > cards
                    || Broadcast.this.queue.newest().version() > queue;
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

    Kept.Next after(long seen, long mostBytes) {
        return kept.after(seen, mostBytes);
    }

    /** The last event that is certain. */
    long seq() {
        return engine.state().marks().seq();
    }

    /** Older messages, made once more from the store. */
    NavigableMap<Long, byte[]> older(long seen) throws StoreFailure {
        return sources.events().messages(queries.eventsAfter(seen, PAGE));
    }

    /** Lets time pass, unless this is closed. */
    void pause(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (left > 0 && !closed) {
                left = ending.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many listen. */
    public int clients() {
        return listeners.get();
    }

    /**
     * How long after its commit the last event was told, or how long the oldest has waited that is
     * not told yet. Nothing while nobody listens.
     */
    public Duration lag() {
        if (listeners.get() == 0) {
            return Duration.ZERO;
        }
        try {
            var untold = kept.to() < seq() ? queries.eventsAfter(kept.to(), 1) : List.<Event>of();
            return untold.isEmpty() ? lastLag : since(untold.getFirst());
        } catch (StoreFailure failure) {
            log.warn("events cannot be read now: {}", failure.getMessage());
            return lastLag;
        }
    }

    private Duration since(Event event) {
        return Duration.between(event.at(), engine.now());
    }

    boolean isClosed() {
        return closed;
    }

    private void run() {
        while (!closed) {
            long pause = IDLE_NANOS;
            long rest = PAUSE_NANOS;
            if (listeners.get() > 0) {
                if (dirty) {
                    dirty = false;
                    cards.stale();
                    queue.stale();
                }
                var isWhole = round();
                pause = untilDue();
                rest = isWhole ? PAUSE_NANOS : AFTER_FAILURE_NANOS;
            }
            // Looked at last: a lock on the way here may have used up the word that woke us.
            if (!closed && rest == PAUSE_NANOS && (!dirty || listeners.get() == 0)) {
                LockSupport.parkNanos(this, pause);
            }
            breathe(rest);
        }
    }

    /** Each part for itself, so that what can be told is told; false if one of them failed. */
    private boolean round() {
        long before = kept.to();
        var isWhole = advance();
        var isNew = kept.to() > before;
        try {
            long now = System.nanoTime();
            isNew |= cards.refresh(now);
            isNew |= queue.refresh(now);
        } catch (RuntimeException defect) {
            log.error("cards and queue could not be told", defect);
            isWhole = false;
        }
        if (isNew) {
            wakeAll();
        }
        return isWhole;
    }

    private long untilDue() {
        long now = System.nanoTime();
        long due = Math.min(cards.nanosUntilDue(now), queue.nanosUntilDue(now));
        return Math.clamp(due, PAUSE_NANOS, IDLE_NANOS);
    }

    private boolean advance() {
        try {
            while (kept.to() < seq() && !closed) {
                long after = kept.to();
                var page = queries.eventsAfter(after, PAGE);
                if (page.isEmpty()) {
                    break;
                }
                kept.add(after, sources.events().messages(page));
                lastLag = since(page.getFirst());
            }
            return true;
        } catch (StoreFailure failure) {
            log.warn("events cannot be read now: {}", failure.getMessage());
        } catch (RuntimeException defect) {
            log.error("events could not be told", defect);
        }
        return false;
    }

    private void breathe(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !closed; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    private void wakeAll() {
        lock.lock();
        try {
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends every stream at once: browsers come back by themselves. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        lock.lock();
        try {
            news.signalAll();
            ending.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
