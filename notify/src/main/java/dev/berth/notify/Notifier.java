package dev.berth.notify;

import dev.berth.config.receiver.MailServer;
import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.UnstoredAlertListener;
import dev.berth.files.AtomicFile;
import dev.berth.json.IsoTime;
import dev.berth.port.Event;
import dev.berth.port.read.TaskQueries;
import dev.berth.texts.Language;
import dev.berth.wire.ReceiverInfo;
import dev.berth.wire.ReceiverTest;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Sends notifications to all receivers. */
public final class Notifier implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Notifier.class);

    /** Events within this time are sent together. */
    private static final Duration BATCH_PAUSE = Duration.ofMillis(100);

    /** Each receiver reads the events itself: this limits the total read rate. */
    private static final Duration PAUSE_PER_RECEIVER = Duration.ofMillis(20);

    private final EngineLoop engine;
    private final NotificationBuilder notes;
    private final NotificationSender post;
    private final List<Delivery> deliveries;
    private final Duration closeLimit;

    /**
     * Receivers and language of notifications.
     *
     * @param mailServer the mail server
     * @param publicUrl the URL of the console
     * @param cursorDirectory the directory of the cursors
     * @param hidesWork exit code, error and log of a task are sent only to receivers of one user
     */
    public record NotifierSettings(
            List<Receiver> receivers,
            Optional<MailServer> mailServer,
            Language language,
            Optional<String> publicUrl,
            Path cursorDirectory,
            boolean hidesWork) {
        public NotifierSettings {
            receivers = List.copyOf(receivers);
        }

        /** Every receiver gets everything. */
        public NotifierSettings(
                List<Receiver> receivers,
                Optional<MailServer> mailServer,
                Language language,
                Optional<String> publicUrl,
                Path cursorDirectory) {
            this(receivers, mailServer, language, publicUrl, cursorDirectory, false);
        }
    }

    private Notifier(
            NotifierSettings settings,
            EngineLoop engine,
            TaskQueries queries,
            ConnectionSettings connections)
            throws IOException {
        this.engine = engine;
        this.notes =
                new NotificationBuilder(
                        queries,
                        settings.language(),
                        settings.publicUrl(),
                        settings.hidesWork()
                                ? NotificationBuilder.Contents.OWN_WORK
                                : NotificationBuilder.Contents.ALL);
        this.post = new NotificationSender(settings.mailServer(), connections, engine::now);
        this.closeLimit = connections.timing().stopLimit();
        var receivers = settings.receivers();
        if (!receivers.isEmpty()) {
            AtomicFile.createDirectory(settings.cursorDirectory());
        }
        var sources =
                new Delivery.DeliveryContext(
                        engine,
                        queries,
                        notes,
                        post,
                        connections.timing(),
                        BATCH_PAUSE.plus(PAUSE_PER_RECEIVER.multipliedBy(receivers.size())));
        this.deliveries =
                receivers.stream()
                        .map(one -> Delivery.start(one, sources, settings.cursorDirectory()))
                        .toList();
    }

    public static Notifier start(
            NotifierSettings settings,
            EngineLoop engine,
            TaskQueries queries,
            ConnectionSettings connections)
            throws IOException {
        var messages = new Notifier(settings, engine, queries, connections);
        if (!messages.deliveries.isEmpty()) {
            // Runs on the engine's thread: waking a delivery never blocks.
            engine.onPublish(_ -> messages.deliveries.forEach(Delivery::wake));
            engine.engine().onUnstoredAlert(new UnstoredAlerts(messages.deliveries));
            log.info("messages receivers={}", settings.receivers().size());
        }
        return messages;
    }

    /** Tells all deliveries. */
    private record UnstoredAlerts(List<Delivery> deliveries) implements UnstoredAlertListener {
        @Override
        public void unstored(Event alert) {
            deliveries.forEach(delivery -> delivery.unstored(alert));
        }

        @Override
        public void stored(Event alert) {
            deliveries.forEach(delivery -> delivery.stored(alert));
        }
    }

    public List<ReceiverInfo> receivers() {
        return deliveries.stream().map(Notifier::info).toList();
    }

    private static ReceiverInfo info(Delivery delivery) {
        var receiver = delivery.receiver();
        var standing = delivery.status();
        return new ReceiverInfo(
                receiver.name(),
                receiver.channel().kind().configName(),
                receiver.channel().displayAddress(),
                receiver.users().isEmpty() ? null : List.copyOf(receiver.users()),
                receiver.topics().stream().map(Topic::configName).toList(),
                standing.isAlertRaised() ? "failing" : standing.failures() > 0 ? "retrying" : "ok",
                standing.delivered().map(IsoTime::format).orElse(null),
                standing.waiting(),
                standing.lastError().orElse(null));
    }

    /** Sends a test message once; empty if there is no such receiver. */
    public Optional<ReceiverTest> sendTestTo(String name) {
        return deliveries.stream()
                .map(Delivery::receiver)
                .filter(receiver -> receiver.name().equals(name))
                .findFirst()
                .map(this::sendTest);
    }

    private ReceiverTest sendTest(Receiver receiver) {
        try {
            var note = notes.forReceiver(receiver).test(receiver.name(), engine.now());
            return new ReceiverTest(true, post.send(receiver, note));
        } catch (DeliveryException e) {
            return new ReceiverTest(false, e.reason());
        }
    }

    @Override
    public void close() {
        deliveries.forEach(Delivery::close);
        try {
            long begun = System.nanoTime();
            for (var delivery : deliveries) {
                delivery.awaitStop(closeLimit.minusNanos(System.nanoTime() - begun));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        post.close();
    }
}
