package dev.berth.feed;

import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Calls one consumer on one thread whenever events were committed, and reads those events for it
 * page by page. After a failure the consumer is called again with the same position.
 */
public final class EventFeed implements AutoCloseable {

    private static final int PAGE = 500;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final Source source;
    private final Settings settings;
    private final FeedClock clock;
    private volatile long position;
    private volatile boolean isWoken;
    private volatile boolean isClosed;
    private volatile @Nullable Thread thread;

    /**
     * Where events come from.
     *
     * @param lastCommitted the sequence number of the last event that may be handled
     */
    public record Source(TaskQueries queries, LongSupplier lastCommitted) {}

    /**
     * How a feed calls its consumer.
     *
     * @param batch pause before each pass, so that events committed shortly after each other are
     *     handled together
     * @param afterFailure pause after a pass that failed
     * @param hasLastPass true if the consumer is called once more when the feed is closed
     * @param failures where failing passes are logged
     */
    public record Settings(
            Duration batch, Duration afterFailure, boolean hasLastPass, FailureLog failures) {}

    /** Handles what is new. */
    @FunctionalInterface
    public interface Consumer {
        /**
         * @param wasWoken false if only time has passed
         * @throws InterruptedException ends the feed
         */
        Rest pass(boolean wasWoken) throws StoreFailure, IOException, InterruptedException;
    }

    /**
     * The time until the next pass.
     *
     * @param pause a wake-up does not shorten it
     * @param idle the whole time if there is no wake-up
     */
    public record Rest(Duration pause, Duration idle) {
        /** A wake-up starts the next pass at once. */
        public static Rest idle(Duration idle) {
            return new Rest(Duration.ZERO, idle);
        }
    }

    /** Takes a page of events, oldest first and never empty. */
    @FunctionalInterface
    public interface PageReader {
        void read(List<Event> page) throws StoreFailure;
    }

    /** Takes a page of events and returns true if it needs more. */
    @FunctionalInterface
    public interface PageSearch {
        boolean needsMore(List<Event> page) throws StoreFailure;
    }

    public EventFeed(Source source, Settings settings) {
        this(source, settings, FeedClock.SYSTEM);
    }

    EventFeed(Source source, Settings settings, FeedClock clock) {
        this.source = source;
        this.settings = settings;
        this.clock = clock;
    }

    /** Starts the thread that calls the consumer. Called once. */
    public void start(ThreadFactory threads, Consumer consumer) {
        var started = threads.newThread(() -> run(consumer));
        thread = started;
        started.start();
    }

    /** Starts the next pass early. Never blocks, so the engine's thread may call it. */
    public void wake() {
        if (!isWoken) {
            isWoken = true;
            unpark();
        }
    }

    private void unpark() {
        // Null before the start; then the thread finds the flag before it first parks.
        LockSupport.unpark(thread);
    }

    /** The last event that was handled. */
    public long position() {
        return position;
    }

    public void moveTo(long seq) {
        position = seq;
    }

    /** The last event that may be handled now. */
    public long lastCommitted() {
        return source.lastCommitted().getAsLong();
    }

    /** Reads all committed events after the position; the position follows page by page. */
    public void read(PageReader reader) throws StoreFailure {
        readUpTo(lastCommitted(), reader);
    }

    /**
     * @param last later events are not read, even if they are committed
     */
    public void readUpTo(long last, PageReader reader) throws StoreFailure {
        while (position < last && (settings.hasLastPass() || !isClosed)) {
            var page = page(position, last);
            if (page.isEmpty()) {
                return;
            }
            reader.read(page);
            position = page.getLast().seq();
        }
    }

    /** Reads committed events after the position and leaves the position where it is. */
    public void peek(PageSearch search) throws StoreFailure {
        long last = lastCommitted();
        long after = position;
        while (after < last) {
            var page = page(after, last);
            if (page.isEmpty() || !search.needsMore(page)) {
                return;
            }
            after = page.getLast().seq();
        }
    }

    /** One page of committed events, from any thread; empty if there are none. */
    public List<Event> pageAfter(long seq) throws StoreFailure {
        return source.queries().eventsAfter(seq, PAGE);
    }

    public Optional<Event> firstAfter(long seq) throws StoreFailure {
        return source.queries().eventsAfter(seq, 1).stream().findFirst();
    }

    private List<Event> page(long after, long last) throws StoreFailure {
        var page = pageAfter(after);
        return page.isEmpty() || page.getLast().seq() <= last
                ? page
                : page.stream().takeWhile(event -> event.seq() <= last).toList();
    }

    /**
     * Moves the position back by whole pages, until it is before all events since this time.
     *
     * @param mostPages how far to search
     */
    public void rewindBefore(Instant from, int mostPages) throws StoreFailure {
        for (int page = 0; page < mostPages && position > 0; page++) {
            position = Math.max(0, position - PAGE);
            if (firstAfter(position).filter(event -> event.at().isBefore(from)).isPresent()) {
                return;
            }
        }
    }

    void run(Consumer consumer) {
        try {
            while (!isClosed) {
                rest(pass(consumer));
            }
            if (settings.hasLastPass()) {
                isWoken = true;
                var _ = pass(consumer);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private Rest pass(Consumer consumer) throws InterruptedException {
        boolean wasWoken = isWoken;
        isWoken = false;
        try {
            var rest = consumer.pass(wasWoken);
            settings.failures().succeeded("");
            return rest;
        } catch (StoreFailure | IOException | RuntimeException failure) {
            settings.failures().failed("", failure);
            if (wasWoken) {
                isWoken = true;
            }
            return new Rest(settings.afterFailure(), settings.afterFailure());
        }
    }

    private void rest(Rest rest) {
        long start = clock.nanos();
        park(start, rest.pause(), false);
        park(start, rest.idle(), true);
        park(clock.nanos(), settings.batch(), false);
    }

    private void park(long start, Duration time, boolean endsWhenWoken) {
        long nanos = time.toNanos();
        for (long left = nanos - (clock.nanos() - start);
                left > 0 && !isClosed && !(endsWhenWoken && isWoken);
                left = nanos - (clock.nanos() - start)) {
            clock.park(left);
        }
    }

    /**
     * Waits during a pass. A wake-up does not shorten it.
     *
     * @throws InterruptedException the feed is closed
     */
    public void pause(Duration time) throws InterruptedException {
        park(clock.nanos(), time, false);
        if (isClosed) {
            throw new InterruptedException("the feed is closed");
        }
    }

    public boolean isClosed() {
        return isClosed;
    }

    /** Requests the end and does not wait for it. */
    public void stop() {
        isClosed = true;
        unpark();
    }

    /** Requests the end and interrupts the pass. */
    public void interrupt() {
        stop();
        var running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    /**
     * @param limit may be zero or negative
     * @return false if the thread still runs
     */
    public boolean join(Duration limit) throws InterruptedException {
        var running = thread;
        return running == null || running.join(limit);
    }

    /** Requests the end and waits for it, but not longer than a few seconds. */
    @Override
    public void close() {
        stop();
        try {
            var _ = join(CLOSE_LIMIT);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
