package dev.berth.notify;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.Receiver;
import dev.berth.engine.EngineLoop;
import dev.berth.feed.EventFeed;
import dev.berth.feed.FailureLog;
import dev.berth.files.AtomicFile;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Sends one receiver its notifications, in order, on its own thread. */
final class Delivery {

    private static final Logger log = LoggerFactory.getLogger(Delivery.class);

    /**
     * After this number of failures in a row an alert is raised; a message that is refused this
     * often is skipped.
     */
    private static final int ALERT_AFTER = 5;

    /** If more events are waiting, chat and mail receivers get one digest. */
    private static final int MAX_SINGLE = 5;

    /**
     * The cursor is saved after this number of skipped events; they are skipped again after a
     * crash.
     */
    private static final long MAX_UNSAVED = 1000;

    private static final Duration IDLE = Duration.ofMinutes(1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

    private final Receiver receiver;
    private final DeliveryContext sources;
    private final Path file;
    private final EventFeed feed;

    private final SentUnstored sentUnstored = new SentUnstored();
    private EventCursor cursor;
    private long savedSeq;
    private long sentNanos;
    private boolean hasSent;
    private int refusals;
    private volatile DeliveryStatus status;

    /**
     * What all deliveries share.
     *
     * @param readPause the pause between two reads, so that many receivers do not load the store
     */
    record DeliveryContext(
            EngineLoop engine,
            TaskQueries queries,
            NotificationBuilder notifications,
            NotificationSender sender,
            DeliveryTiming timing,
            Duration readPause) {}

    /** The state of a delivery. */
    record DeliveryStatus(
            int failures,
            boolean isAlertRaised,
            int waiting,
            Optional<Instant> delivered,
            Optional<String> lastError) {}

    private Delivery(Receiver receiver, DeliveryContext sources, Path file, EventCursor cursor) {
        this.receiver = receiver;
        this.sources = sources;
        this.file = file;
        this.cursor = cursor;
        this.savedSeq = cursor.seq();
        this.status =
                new DeliveryStatus(
                        0, cursor.isAlertRaised(), 0, cursor.delivered(), Optional.empty());
        this.feed =
                new EventFeed(
                        new EventFeed.Source(
                                sources.queries(), () -> sources.engine().state().lastIds().seq()),
                        new EventFeed.Settings(
                                Duration.ZERO,
                                AFTER_FAILURE,
                                false,
                                new FailureLog(
                                        log,
                                        "events cannot be read now for " + receiver.name(),
                                        "events are read again for " + receiver.name())));
        feed.moveTo(cursor.seq());
    }

    /**
     * @param directory the directory of the cursors; a receiver without one starts at the current
     *     event
     */
    static Delivery start(Receiver receiver, DeliveryContext sources, Path directory) {
        var file = directory.resolve(receiver.name());
        long now = sources.engine().state().lastIds().seq();
        // A cursor ahead of the events belongs to another database.
        var kept = EventCursor.read(file).filter(cursor -> cursor.seq() <= now);
        var delivery =
                new Delivery(receiver, sources, file, kept.orElseGet(() -> EventCursor.at(now)));
        if (kept.isEmpty()) {
            delivery.save(delivery.cursor);
        }
        delivery.feed.start(
                Thread.ofVirtual().name("message-" + receiver.name()).factory(),
                _ -> delivery.pass());
        return delivery;
    }

    Receiver receiver() {
        return receiver;
    }

    DeliveryStatus status() {
        return status;
    }

    /** Never blocks, so the engine's thread may call it. */
    void wake() {
        feed.wake();
    }

    /** Sends an alert that cannot be stored now, once and without a retry. Never blocks. */
    void unstored(Event alert) {
        sentUnstored.unstored(alert);
        wake();
    }

    /** Such an alert is stored now: it is sent again only if it was not delivered. Never blocks. */
    void stored(Event alert) {
        sentUnstored.stored(alert);
    }

    private boolean sendUnstored(Event alert) {
        if (!TopicFilter.accepts(receiver, alert) || !receiver.users().isEmpty()) {
            return false;
        }
        try {
            var note = sources.notifications().forReceiver(receiver).of(alert);
            var detail = sources.sender().send(receiver, note);
            log.info("message.delivered receiver={} unstored {}", receiver.name(), detail);
            return true;
        } catch (DeliveryException | StoreFailure | RuntimeException failure) {
            log.warn("message.failed receiver={} unstored: {}", receiver.name(), failure);
            return false;
        }
    }

    private EventFeed.Rest pass() throws StoreFailure, InterruptedException {
        sentUnstored.sendNew(this::sendUnstored);
        if (isUpToDate()) {
            return EventFeed.Rest.idle(IDLE);
        }
        try {
            return deliverNext();
        } catch (RuntimeException defect) {
            log.error("messages to {} failed", receiver.name(), defect);
            failed(describe(defect));
            return next(Duration.ZERO);
        }
    }

    /** Events may be left to send, or may have been committed since they were read. */
    private EventFeed.Rest next(Duration pause) {
        return isUpToDate() ? new EventFeed.Rest(pause, IDLE) : new EventFeed.Rest(pause, pause);
    }

    private EventFeed.Rest deliverNext() throws StoreFailure, InterruptedException {
        var oldest = sources.engine().now().minus(sources.timing().maxEventAge());
        var backlog =
                EventBacklog.of(receiver, feed, oldest, sources.queries(), sentUnstored::contains);
        status = withWaiting(backlog.toSend().size());
        skipTo(backlog.lastSkipped());
        if (backlog.dropped() > 0) {
            log.warn("{} messages to {} are too old by now", backlog.dropped(), receiver.name());
            raiseAlert(
                    "messages were given up after "
                            + sources.timing().maxEventAge().toHours()
                            + " h");
        }
        if (backlog.toSend().isEmpty()) {
            return next(sources.readPause());
        }
        feed.pause(untilNextSend());
        send(backlog);
        return next(Duration.ZERO);
    }

    private void send(EventBacklog backlog) throws StoreFailure, InterruptedException {
        var wanted = backlog.toSend();
        // A refused message must not block the other events of a digest.
        boolean isDigest =
                receiver.channel().kind() != ChannelKind.WEBHOOK
                        && wanted.size() > MAX_SINGLE
                        && refusals == 0;
        var last = isDigest ? wanted.getLast() : wanted.getFirst();
        try {
            var builder = sources.notifications().forReceiver(receiver);
            var note = isDigest ? builder.digest(wanted) : builder.of(last);
            var detail = sources.sender().send(receiver, note);
            noteSend();
            delivered(last, isDigest ? 0 : wanted.size() - 1, detail);
        } catch (DeliveryException e) {
            noteSend();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (e.isPermanent()) {
                refused(wanted.getFirst(), e.reason());
            } else {
                refusals = 0;
                failed(e.reason());
            }
        } catch (NotificationBuilder.TaskRemovedException removed) {
            log.info("message.skipped receiver={} {}", receiver.name(), removed.getMessage());
            save(cursor.skippedTo(last.seq()));
        } catch (RuntimeException defect) {
            log.error("a message to {} failed", receiver.name(), defect);
            refused(wanted.getFirst(), describe(defect));
        }
    }

    private String describe(RuntimeException defect) {
        return receiver.channel().redact("a defect of Berth: " + defect);
    }

    /** Retries a few times, then skips the event. */
    private void refused(Event event, String why) throws InterruptedException {
        refusals++;
        if (refusals < ALERT_AFTER) {
            failed(why);
            return;
        }
        log.warn("message.refused receiver={} seq={} {}", receiver.name(), event.seq(), why);
        raiseAlert(why);
        save(cursor.skippedTo(event.seq()));
        refusals = 0;
        status =
                new DeliveryStatus(
                        0,
                        status.isAlertRaised(),
                        status.waiting() - 1,
                        status.delivered(),
                        Optional.of(why));
    }

    private void noteSend() {
        sentNanos = System.nanoTime();
        hasSent = true;
    }

    private Duration untilNextSend() {
        if (!hasSent || !receiver.channel().kind().isChat()) {
            return Duration.ZERO;
        }
        var since = Duration.ofNanos(System.nanoTime() - sentNanos);
        return sources.timing().chatInterval().minus(since);
    }

    private void delivered(Event last, int left, String detail) {
        log.info("message.delivered receiver={} seq={} {}", receiver.name(), last.seq(), detail);
        save(cursor.delivered(last.seq(), sources.engine().now()));
        refusals = 0;
        status = new DeliveryStatus(0, false, left, cursor.delivered(), Optional.empty());
    }

    private void failed(String why) throws InterruptedException {
        int failures = status.failures() + 1;
        log.warn("message.failed receiver={} tries={} {}", receiver.name(), failures, why);
        status =
                new DeliveryStatus(
                        failures,
                        status.isAlertRaised(),
                        status.waiting(),
                        status.delivered(),
                        Optional.of(why));
        if (failures >= ALERT_AFTER) {
            raiseAlert(why);
        }
        feed.pause(sources.timing().retryDelay(receiver.name(), failures));
    }

    /** Raises one alert, until a message is delivered again. */
    private void raiseAlert(String why) {
        status =
                new DeliveryStatus(
                        status.failures(),
                        true,
                        status.waiting(),
                        status.delivered(),
                        status.lastError().or(() -> Optional.of(why)));
        // The state is set first: a reader of the alert may query it at once.
        if (!cursor.isAlertRaised()) {
            sources.engine().observe(new Fact.NotificationFailed(receiver.name(), why));
            save(cursor.withAlertRaised());
        }
    }

    private DeliveryStatus withWaiting(int waiting) {
        return new DeliveryStatus(
                status.failures(),
                status.isAlertRaised(),
                waiting,
                status.delivered(),
                status.lastError());
    }

    private void skipTo(long seen) {
        cursor = cursor.skippedTo(seen);
        sentUnstored.forgetUpTo(seen);
        feed.moveTo(seen);
        if (seen - savedSeq > MAX_UNSAVED) {
            save(cursor);
        }
    }

    private void save(EventCursor next) {
        cursor = next;
        feed.moveTo(next.seq());
        savedSeq = next.seq();
        try {
            AtomicFile.replace(file, next.text().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            log.warn("cannot save the delivery position of {}: {}", receiver.name(), e.toString());
        }
    }

    private boolean isUpToDate() {
        return feed.lastCommitted() <= cursor.seq();
    }

    /** Interrupts a send in progress; the next server sends that message again. */
    void close() {
        feed.interrupt();
    }

    /**
     * @param time the remaining time; may be zero or negative
     */
    void awaitStop(Duration time) throws InterruptedException {
        if (!feed.join(time)) {
            log.warn("messages to {} do not end", receiver.name());
        }
    }
}
