package dev.berth.server.message;

import dev.berth.engine.EngineLoop;
import dev.berth.engine.State;
import dev.berth.engine.port.TaskQueries;
import dev.berth.server.alert.Language;
import dev.berth.server.http.IsoTime;
import dev.berth.server.lane.WholeFile;
import dev.berth.wire.ReceiverInfo;
import dev.berth.wire.ReceiverTest;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

import javax.net.ssl.SSLContext;

/** All receivers, and what is brought to them. */
public final class Messages implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Messages.class);

    /** Events that come together travel together. */
    private static final Duration REST = Duration.ofMillis(100);

    /** Each receiver reads the events for itself: all together read so often at most. */
    private static final Duration REST_OF_EACH = Duration.ofMillis(20);

    private static final Duration IDLE = Duration.ofMinutes(1);

    private final EngineLoop engine;
    private final Notes notes;
    private final Post post;
    private final List<Delivery> deliveries;
    private final Duration end;
    private final Thread waker = Thread.ofVirtual().name("message-waker").unstarted(this::wakeAll);
    private volatile boolean isNews;
    private volatile boolean isClosed;

    /**
     * Who is told, and in which words.
     *
     * @param mailbox from which mail is sent
     * @param publicUrl where people reach the console
     * @param directory where it is kept how far each receiver was told
     */
    public record Settings(
            List<Receiver> receivers,
            Optional<Mailbox> mailbox,
            Language language,
            Optional<String> publicUrl,
            Path directory) {
        public Settings {
            receivers = List.copyOf(receivers);
        }
    }

    private Messages(Settings settings, EngineLoop engine, TaskQueries queries, Means means)
            throws IOException {
        this.engine = engine;
        this.notes = new Notes(queries, settings.language(), settings.publicUrl());
        this.post = new Post(settings.mailbox(), means.patience(), means.tls(), engine::now);
        this.end = means.patience().end();
        var receivers = settings.receivers();
        if (!receivers.isEmpty()) {
            WholeFile.makeDirectory(settings.directory());
        }
        var sources =
                new Delivery.Sources(
                        engine,
                        queries,
                        notes,
                        post,
                        means.patience(),
                        REST.plus(REST_OF_EACH.multipliedBy(receivers.size())));
        this.deliveries =
                receivers.stream()
                        .map(one -> Delivery.start(one, sources, settings.directory()))
                        .toList();
    }

    /**
     * How messages travel.
     *
     * @param tls whom to believe
     */
    public record Means(Patience patience, SSLContext tls) {

        public static Means usual() {
            try {
                return new Means(Patience.USUAL, SSLContext.getDefault());
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has TLS", e);
            }
        }
    }

    public static Messages start(
            Settings settings, EngineLoop engine, TaskQueries queries, Means means)
            throws IOException {
        var messages = new Messages(settings, engine, queries, means);
        if (!messages.deliveries.isEmpty()) {
            messages.waker.start();
            engine.onPublish(messages::published);
            log.info("messages receivers={}", settings.receivers().size());
        }
        return messages;
    }

    /** On the engine's own thread, so only a word is left. */
    private void published(State state) {
        isNews = true;
        LockSupport.unpark(waker);
    }

    private void wakeAll() {
        while (!isClosed) {
            if (isNews) {
                isNews = false;
                deliveries.forEach(Delivery::wake);
            }
            LockSupport.parkNanos(this, IDLE.toNanos());
        }
    }

    public List<ReceiverInfo> receivers() {
        return deliveries.stream().map(Messages::info).toList();
    }

    private static ReceiverInfo info(Delivery delivery) {
        var receiver = delivery.receiver();
        var standing = delivery.standing();
        return new ReceiverInfo(
                receiver.name(),
                receiver.way().form().word(),
                receiver.way().shown(),
                receiver.users().isEmpty() ? null : List.copyOf(receiver.users()),
                receiver.topics().stream().map(Topic::word).toList(),
                standing.isTold() ? "failing" : standing.failures() > 0 ? "retrying" : "ok",
                standing.delivered().map(IsoTime::text).orElse(null),
                standing.waiting(),
                standing.lastError().orElse(null));
    }

    /** Sends one message now, and only once; nothing where there is no such receiver. */
    public Optional<ReceiverTest> test(String name) {
        return deliveries.stream()
                .map(Delivery::receiver)
                .filter(receiver -> receiver.name().equals(name))
                .findFirst()
                .map(this::tested);
    }

    private ReceiverTest tested(Receiver receiver) {
        try {
            var note = notes.test(receiver.name(), engine.now());
            return new ReceiverTest(true, post.deliver(receiver, note));
        } catch (Undelivered e) {
            return new ReceiverTest(false, e.why());
        }
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(waker);
        deliveries.forEach(Delivery::close);
        try {
            long begun = System.nanoTime();
            for (var delivery : deliveries) {
                delivery.awaitEnd(end.minusNanos(System.nanoTime() - begun));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
