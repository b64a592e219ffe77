package dev.berth.cli.link;

import dev.berth.cli.call.CliVersion;
import dev.berth.cli.link.LinkFailure.Kind;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * HTTP/1.1 over a Unix socket, one exchange at a time, on a connection that is kept for the next
 * one while both sides want to. No exchange outlasts its request's patience.
 */
public final class HttpOverSocket implements Closeable {

    private @Nullable SocketChannel kept;

    /** Opens a connection now, to learn whether anybody is there. */
    public void connect(Path socket, Duration patience) throws LinkFailure {
        try (Deadline deadline = new Deadline(patience)) {
            kept = connected(socket, deadline);
        }
    }

    /**
     * Sends one request and reads its answer whole.
     *
     * @param socket where to connect if no connection was kept
     */
    public Reply exchange(Path socket, Request request) throws LinkFailure {
        try (Deadline deadline = new Deadline(request.patience())) {
            SocketChannel channel = kept == null ? connected(socket, deadline) : kept;
            kept = null;
            deadline.guard(channel);
            try {
                ReplyReader reader = new ReplyReader(channel);
                Reply reply = exchange(channel, request, reader);
                if (reader.mayGoOn()) {
                    kept = channel;
                }
                return reply;
            } catch (LinkFailure unreadable) {
                throw unreadable;
            } catch (IOException broken) {
                throw failure(broken, deadline, request.patience());
            } finally {
                if (kept == null) {
                    Deadline.close(channel);
                }
            }
        }
    }

    private static Reply exchange(SocketChannel channel, Request request, ReplyReader reader)
            throws IOException {
        try {
            send(channel, request);
        } catch (IOException unsent) {
            // A server that refuses a large body answers and closes while it is still being sent.
            try {
                return reader.read();
            } catch (IOException noAnswer) {
                unsent.addSuppressed(noAnswer);
                throw unsent;
            }
        }
        return reader.read();
    }

    private static SocketChannel connected(Path socket, Deadline deadline) throws LinkFailure {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            deadline.guard(channel);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return channel;
        } catch (IOException refused) {
            Deadline.close(channel);
            String why = String.valueOf(refused.getMessage());
            if (deadline.passed()) {
                throw new LinkFailure(Kind.SLOW, "it takes no connection");
            }
            throw new LinkFailure(
                    why.startsWith("Permission denied") ? Kind.NOT_ALLOWED : Kind.NO_SERVER, why);
        }
    }

    private static LinkFailure failure(IOException broken, Deadline deadline, Duration patience) {
        return deadline.passed()
                ? new LinkFailure(Kind.SLOW, "no answer within " + patience.toSeconds() + " s")
                : new LinkFailure(Kind.LOST, "the connection was lost: " + broken.getMessage());
    }

    private static void send(SocketChannel to, Request request) throws IOException {
        byte[] body = request.body().getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder(256);
        head.append(request.method()).append(' ').append(request.target()).append(" HTTP/1.1\r\n");
        head.append("Host: localhost\r\nAccept: application/json\r\nUser-Agent: berth/");
        head.append(CliVersion.CURRENT).append("\r\n");
        for (Map.Entry<String, String> header : request.headers().entrySet()) {
            head.append(header.getKey()).append(": ").append(header.getValue()).append("\r\n");
        }
        if (!request.method().equals("GET")) {
            head.append("Content-Type: application/json\r\nContent-Length: ");
            head.append(body.length).append("\r\n");
        }
        byte[] first = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer all = ByteBuffer.allocate(first.length + body.length).put(first).put(body);
        all.flip();
        while (all.hasRemaining()) {
            to.write(all);
        }
    }

    @Override
    public void close() {
        Deadline.close(kept);
        kept = null;
    }
}
