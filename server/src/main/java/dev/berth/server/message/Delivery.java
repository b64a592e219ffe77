package dev.berth.server.message;

import dev.berth.engine.EngineLoop;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;
import dev.berth.server.lane.WholeFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Brings one receiver what it wants to hear of, in order, on a thread of its own. */
final class Delivery {

    private static final Logger log = LoggerFactory.getLogger(Delivery.class);

    /** So many failures in a row are told of; a message refused so often is passed over. */
    private static final int TOLD_AFTER = 5;

    /** More than these wait: they become one message where people read them. */
    private static final int SINGLE = 5;

    /** What nobody wanted is passed over again after a crash; not too much of it. */
    private static final long UNSAVED = 1000;

    private static final Duration IDLE = Duration.ofMinutes(1);
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(10);

    private final Receiver receiver;
    private final Sources sources;
    private final Path file;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Thread thread;

    private Cursor cursor;
    private long savedSeq;
    private long sentNanos;
    private boolean hasSent;
    private int refusals;
    private boolean isClosed;
    private volatile Standing standing;

    /**
     * What every delivery works with.
     *
     * @param rest between two looks, so that many receivers are no burden
     */
    record Sources(
            EngineLoop engine,
            TaskQueries queries,
            Notes notes,
            Post post,
            Patience patience,
            Duration rest) {}

    /** How it goes. */
    record Standing(
            int failures,
            boolean isTold,
            int waiting,
            Optional<Instant> delivered,
            Optional<String> lastError) {}

    private Delivery(Receiver receiver, Sources sources, Path file, Cursor cursor) {
        this.receiver = receiver;
        this.sources = sources;
        this.file = file;
        this.cursor = cursor;
        this.savedSeq = cursor.seq();
        this.standing = new Standing(0, cursor.isTold(), 0, cursor.delivered(), Optional.empty());
        this.thread = Thread.ofVirtual().name("message-" + receiver.name()).unstarted(this::run);
    }

    /**
     * @param directory where the cursors are; a receiver without one has missed nothing
     */
    static Delivery start(Receiver receiver, Sources sources, Path directory) {
        var file = directory.resolve(receiver.name());
        long now = sources.engine().state().marks().seq();
        // One that is ahead was made beside another database.
        var kept = Cursor.read(file).filter(cursor -> cursor.seq() <= now);
        var delivery = new Delivery(receiver, sources, file, kept.orElseGet(() -> Cursor.at(now)));
        if (kept.isEmpty()) {
            delivery.save(delivery.cursor);
        }
        delivery.thread.start();
        return delivery;
    }

    Receiver receiver() {
        return receiver;
    }

    Standing standing() {
        return standing;
    }

    /** There may be news. */
    void wake() {
        lock.lock();
        try {
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (!isClosed()) {
            try {
                round();
            } catch (InterruptedException _) {
                return;
            } catch (StoreFailure failure) {
                log.warn("events cannot be read now: {}", failure.getMessage());
                pauseAnyway(AFTER_TROUBLE);
            } catch (RuntimeException defect) {
                failedAnyway(defect);
            }
        }
    }

    private void round() throws StoreFailure, InterruptedException {
        awaitNews();
        var oldest = sources.engine().now().minus(sources.patience().backlog());
        var backlog = Backlog.of(receiver, cursor.seq(), oldest, sources.queries());
        standing = with(backlog.wanted().size());
        pass(backlog.passed());
        if (backlog.dropped() > 0) {
            log.warn("{} messages to {} are too old by now", backlog.dropped(), receiver.name());
            tell("messages were given up after " + sources.patience().backlog().toHours() + " h");
        }
        if (backlog.wanted().isEmpty()) {
            pause(sources.rest());
            return;
        }
        pause(untilNextSend());
        send(backlog);
    }

    private void send(Backlog backlog) throws StoreFailure, InterruptedException {
        var wanted = backlog.wanted();
        // One that is refused must not take the others of its digest with it.
        boolean isDigest =
                receiver.way().form() != Form.WEBHOOK && wanted.size() > SINGLE && refusals == 0;
        var last = isDigest ? wanted.getLast() : wanted.getFirst();
        try {
            var note = isDigest ? sources.notes().digest(wanted) : sources.notes().of(last);
            var detail = sources.post().deliver(receiver, note);
            sent();
            delivered(last, isDigest ? 0 : wanted.size() - 1, detail);
        } catch (Undelivered e) {
            sent();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (e.isRefused()) {
                refused(wanted.getFirst(), e.why());
            } else {
                refusals = 0;
                failed(e.why());
            }
        } catch (RuntimeException defect) {
            log.error("a message to {} failed", receiver.name(), defect);
            refused(wanted.getFirst(), words(defect));
        }
    }

    private String words(RuntimeException defect) {
        return receiver.way().hushed("a defect of Berth: " + defect);
    }

    /** Tries a few times more, and goes on to the next one then. */
    private void refused(Event event, String why) throws InterruptedException {
        refusals++;
        if (refusals < TOLD_AFTER) {
            failed(why);
            return;
        }
        log.warn("message.refused receiver={} seq={} {}", receiver.name(), event.seq(), why);
        tell(why);
        save(cursor.passed(event.seq()));
        refusals = 0;
        standing =
                new Standing(
                        0,
                        standing.isTold(),
                        standing.waiting() - 1,
                        standing.delivered(),
                        Optional.of(why));
    }

    private void sent() {
        sentNanos = System.nanoTime();
        hasSent = true;
    }

    private Duration untilNextSend() {
        if (!hasSent || !receiver.way().form().isChat()) {
            return Duration.ZERO;
        }
        var since = Duration.ofNanos(System.nanoTime() - sentNanos);
        return sources.patience().spacing().minus(since);
    }

    private void delivered(Event last, int left, String detail) {
        log.info("message.delivered receiver={} seq={} {}", receiver.name(), last.seq(), detail);
        save(cursor.delivered(last.seq(), sources.engine().now()));
        refusals = 0;
        standing = new Standing(0, false, left, cursor.delivered(), Optional.empty());
    }

    private void failed(String why) throws InterruptedException {
        int failures = standing.failures() + 1;
        log.warn("message.failed receiver={} tries={} {}", receiver.name(), failures, why);
        standing =
                new Standing(
                        failures,
                        standing.isTold(),
                        standing.waiting(),
                        standing.delivered(),
                        Optional.of(why));
        if (failures >= TOLD_AFTER) {
            tell(why);
        }
        pause(sources.patience().pause(receiver.name(), failures));
    }

    /** Once, until something arrives again. */
    private void tell(String why) {
        standing =
                new Standing(
                        standing.failures(),
                        true,
                        standing.waiting(),
                        standing.delivered(),
                        standing.lastError().or(() -> Optional.of(why)));
        // Whoever hears of it may ask how it stands at once.
        if (!cursor.isTold()) {
            sources.engine().observe(new Fact.Undelivered(receiver.name(), why));
            save(cursor.told());
        }
    }

    private Standing with(int waiting) {
        return new Standing(
                standing.failures(),
                standing.isTold(),
                waiting,
                standing.delivered(),
                standing.lastError());
    }

    private void pass(long seen) {
        cursor = cursor.passed(seen);
        if (seen - savedSeq > UNSAVED) {
            save(cursor);
        }
    }

    private void save(Cursor next) {
        cursor = next;
        savedSeq = next.seq();
        try {
            WholeFile.replace(file, next.text().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            log.warn("how far {} was told cannot be written: {}", receiver.name(), e.toString());
        }
    }

    private void awaitNews() throws InterruptedException {
        lock.lock();
        try {
            long left = IDLE.toNanos();
            while (!isClosed && isUpToDate() && left > 0) {
                left = news.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isUpToDate() {
        return sources.engine().state().marks().seq() <= cursor.seq();
    }

    /** Lets time pass, whatever happens meanwhile. */
    private void pause(Duration time) throws InterruptedException {
        lock.lock();
        try {
            long left = time.toNanos();
            while (left > 0 && !isClosed) {
                left = news.awaitNanos(left);
            }
            if (isClosed) {
                throw new InterruptedException();
            }
        } finally {
            lock.unlock();
        }
    }

    private void pauseAnyway(Duration time) {
        try {
            pause(time);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void failedAnyway(RuntimeException defect) {
        log.error("messages to {} failed", receiver.name(), defect);
        try {
            failed(words(defect));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return isClosed || Thread.currentThread().isInterrupted();
        } finally {
            lock.unlock();
        }
    }

    /** What is under way is broken off, and sent again by the next server. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
            news.signal();
        } finally {
            lock.unlock();
        }
        thread.interrupt();
    }

    /**
     * @param time that is left; it may be over
     */
    void awaitEnd(Duration time) throws InterruptedException {
        if (!thread.join(time)) {
            log.warn("messages to {} do not end", receiver.name());
        }
    }
}
