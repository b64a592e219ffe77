package dev.berth.nodesocket.client;

import dev.berth.nodesocket.FrameChannel;
import dev.berth.nodesocket.Outbox;
import dev.berth.nodesocket.PeerUser;
import dev.berth.nodesocket.message.FromNode;
import dev.berth.nodesocket.message.Protocol;
import dev.berth.nodesocket.message.ToNode;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a connection to the node: connects, reads messages, and connects again when it breaks. A
 * connection on which nothing arrives for a while counts as broken.
 */
final class NodeLink implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NodeLink.class);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(1);
    private static final Duration TICK = Duration.ofMillis(500);

    /** The node sends something every second. */
    private static final Duration MAX_SILENCE = Duration.ofSeconds(10);

    private static final long MAX_WAITING_BYTES = 64L << 20;

    private final LinkSettings settings;
    private final Listener listener;
    private final Thread reader;
    private final Thread timer;
    private volatile boolean isClosed;
    private volatile Optional<FrameChannel> channel = Optional.empty();
    private volatile long heardAt;

    /**
     * @param user whom the node must run as
     * @param version of this program
     */
    record LinkSettings(Path socket, UserPrincipal user, String version) {}

    /** Called by one thread at a time. */
    interface Listener {
        void onConnected(FromNode.Welcome welcome, Outbox outbox) throws IOException;

        void onMessage(FromNode message);

        void onBroken(String why);

        /** Regularly, also while there is no connection. */
        void onTick();
    }

    private NodeLink(LinkSettings settings, Listener listener) {
        this.settings = settings;
        this.listener = listener;
        this.reader = Thread.ofPlatform().daemon().name("node-link").unstarted(this::run);
        this.timer = Thread.ofPlatform().daemon().name("node-link-timer").unstarted(this::tick);
    }

    static NodeLink start(LinkSettings settings, Listener listener) {
        var link = new NodeLink(settings, listener);
        link.reader.start();
        link.timer.start();
        return link;
    }

    private void run() {
        var pause = FIRST_PAUSE;
        var lastReason = "";
        while (!isClosed) {
            long begin = System.nanoTime();
            var why = useConnection();
            if (!isClosed && !why.equals(lastReason)) {
                log.warn("no connection to the node: {}", why);
                lastReason = why;
            }
            if (System.nanoTime() - begin > MAX_PAUSE.toNanos()) {
                pause = FIRST_PAUSE;
                lastReason = "";
            }
            if (!isClosed) {
                listener.onBroken(why);
            }
            if (!pauseFor(pause)) {
                return;
            }
            var doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(MAX_PAUSE) < 0 ? doubled : MAX_PAUSE;
        }
    }

    private static boolean pauseFor(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            if (Thread.interrupted()) {
                return false;
            }
            LockSupport.parkNanos(left);
        }
        return true;
    }

    /** Returns when the connection has ended, with the reason. */
    private String useConnection() {
        try (var socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            heardAt = System.nanoTime();
            var frames = new FrameChannel(socket);
            channel = Optional.of(frames);
            socket.connect(UnixDomainSocketAddress.of(settings.socket()));
            if (!PeerUser.of(socket).equals(settings.user())) {
                return "the process that listens on %s is not of the user %s"
                        .formatted(settings.socket(), settings.user().getName());
            }
            frames.write(Protocol.TO_NODE.encode(Protocol.hello(settings.version())));
            var answer = read(frames);
            return switch (answer) {
                case FromNode.Welcome welcome -> readAll(frames, welcome);
                case FromNode.Refused(String why) -> why;
                case FromNode.Reported _,
                        FromNode.Answer _,
                        FromNode.StopServer _,
                        FromNode.Alive _ ->
                        "the node did not answer the greeting";
            };
        } catch (EOFException closed) {
            return "the node closed the connection";
        } catch (IOException failure) {
            return "the node at %s does not answer: %s"
                    .formatted(settings.socket(), describe(failure));
        } finally {
            channel = Optional.empty();
        }
    }

    private static String describe(IOException failure) {
        var message = failure.getMessage();
        return message == null ? "it was silent for too long" : message;
    }

    private String readAll(FrameChannel frames, FromNode.Welcome welcome) throws IOException {
        try (var outbox = Outbox.start(frames, MAX_WAITING_BYTES, "node-link-writer")) {
            listener.onConnected(welcome, outbox);
            log.info("connected to the node {} at {}", welcome.name(), settings.socket());
            while (!isClosed) {
                listener.onMessage(read(frames));
            }
        }
        return "the server stops";
    }

    private FromNode read(FrameChannel frames) throws IOException {
        var message = Protocol.FROM_NODE.decode(frames.read(Protocol.MAX_FROM_NODE_BYTES));
        heardAt = System.nanoTime();
        return message;
    }

    private void tick() {
        while (!isClosed && pauseFor(TICK)) {
            if (System.nanoTime() - heardAt > MAX_SILENCE.toNanos()) {
                closeChannel();
            }
            listener.onTick();
        }
    }

    /** The thread that reads gets an exception. */
    private void closeChannel() {
        channel.ifPresent(
                open -> {
                    try {
                        open.close();
                    } catch (IOException failure) {
                        log.debug("closing the connection", failure);
                    }
                });
    }

    static byte[] encode(ToNode message) {
        return Protocol.TO_NODE.encode(message);
    }

    @Override
    public void close() throws InterruptedException {
        isClosed = true;
        closeChannel();
        reader.interrupt();
        timer.interrupt();
        reader.join(MAX_PAUSE.multipliedBy(2));
    }
}
