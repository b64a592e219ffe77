package dev.berth.cli.client;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** Replies 413 to every request and closes the connection. */
final class TooLargeReplyServer implements Closeable {

    private static final String ANSWER = "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}";

    private final ServerSocketChannel listening;
    private final AtomicInteger connections = new AtomicInteger();

    TooLargeReplyServer(Path socket) throws IOException {
        listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listening.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::serve);
    }

    int connections() {
        return connections.get();
    }

    private void serve() {
        try {
            while (true) {
                try (SocketChannel connection = listening.accept()) {
                    connections.incrementAndGet();
                    connection.read(ByteBuffer.allocate(16));
                    connection.write(ByteBuffer.wrap(ANSWER.getBytes(StandardCharsets.UTF_8)));
                }
            }
        } catch (ClosedChannelException closed) {
            // The test is over.
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
