package dev.berth.cli.client;

import dev.berth.cli.call.CliVersion;
import dev.berth.cli.client.ConnectionFailure.Kind;

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
 * HTTP/1.1 over a Unix socket, one exchange at a time. The connection stays open for the next
 * exchange unless one side closes it. An exchange ends at the latest after the timeout of its
 * request.
 */
public final class UnixSocketHttpClient implements Closeable {

    private final SpareArrays spareArrays = new SpareArrays();
    private final ExchangeDeadline deadlines = new ExchangeDeadline();
    private @Nullable SocketChannel openChannel;

    /** Opens a connection, to check that a server listens. */
    public void connect(Path socket, Duration timeout) throws ConnectionFailure {
        try (ExchangeDeadline.Exchange deadline = deadlines.begin(timeout)) {
            openChannel = openConnection(socket, deadline);
        }
    }

    /**
     * Sends one request and reads the whole reply.
     *
     * @param socket where to connect if there is no open connection
     */
    public ApiReply exchange(Path socket, ApiRequest request) throws ConnectionFailure {
        try (ExchangeDeadline.Exchange deadline = deadlines.begin(request.timeout())) {
            SocketChannel channel =
                    openChannel == null ? openConnection(socket, deadline) : openChannel;
            openChannel = null;
            deadline.guard(channel);
            try {
                HttpReplyReader reader = new HttpReplyReader(channel, spareArrays);
                ApiReply reply = exchange(channel, request, reader);
                if (reader.isReusable()) {
                    openChannel = channel;
                }
                return reply;
            } catch (ConnectionFailure unreadable) {
                throw unreadable;
            } catch (IOException broken) {
                throw failure(broken, deadline, request.timeout());
            } finally {
                if (openChannel == null) {
                    ExchangeDeadline.close(channel);
                }
            }
        }
    }

    /** Gives back the content of a reply that nobody uses any more. From any thread. */
    void recycle(byte[] content) {
        spareArrays.give(content);
    }

    private static ApiReply exchange(
            SocketChannel channel, ApiRequest request, HttpReplyReader reader) throws IOException {
        try {
            send(channel, request);
        } catch (IOException unsent) {
            // A server that refuses a large body replies and closes before it has received the
            // whole body.
            try {
                return reader.read();
            } catch (IOException noAnswer) {
                unsent.addSuppressed(noAnswer);
                throw unsent;
            }
        }
        return reader.read();
    }

    private static SocketChannel openConnection(Path socket, ExchangeDeadline.Exchange deadline)
            throws ConnectionFailure {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            deadline.guard(channel);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return channel;
        } catch (IOException refused) {
            ExchangeDeadline.close(channel);
            String reason = String.valueOf(refused.getMessage());
            if (deadline.hasPassed()) {
                throw new ConnectionFailure(Kind.TIMEOUT, "it accepts no connection");
            }
            throw new ConnectionFailure(
                    reason.startsWith("Permission denied")
                            ? Kind.PERMISSION_DENIED
                            : Kind.NO_SERVER,
                    reason);
        }
    }

    private static ConnectionFailure failure(
            IOException broken, ExchangeDeadline.Exchange deadline, Duration timeout) {
        return deadline.hasPassed()
                ? new ConnectionFailure(
                        Kind.TIMEOUT, "no answer within " + timeout.toSeconds() + " s")
                : new ConnectionFailure(
                        Kind.CONNECTION_LOST, "the connection was lost: " + broken.getMessage());
    }

    private static void send(SocketChannel to, ApiRequest request) throws IOException {
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
        deadlines.close();
        ExchangeDeadline.close(openChannel);
        openChannel = null;
    }
}
