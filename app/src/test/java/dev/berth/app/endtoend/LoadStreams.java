package dev.berth.app.endtoend;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Event streams of one server. One half reads as fast as it can; the other half never reads, and
 * connects again when the server has had time to disconnect it.
 */
final class LoadStreams implements AutoCloseable {

    private static final Duration CONNECT_AGAIN = Duration.ofSeconds(20);

    private final URI url;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong receivedBytes = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private volatile boolean isClosed;

    private LoadStreams(URI url) {
        this.url = url;
    }

    static LoadStreams open(URI url, int count, ExecutorService threads) throws IOException {
        var streams = new LoadStreams(url);
        for (int i = 0; i < count; i++) {
            if (i % 2 == 0) {
                var socket = streams.connect();
                var _ = threads.submit(() -> streams.readAll(socket));
            } else {
                // Not all at the same time.
                var first = CONNECT_AGAIN.multipliedBy(i).dividedBy(count);
                var _ = threads.submit(() -> streams.connectAgain(first));
            }
        }
        return streams;
    }

    private Socket connect() throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(url.getHost(), url.getPort()));
        socket.getOutputStream().write(HttpConnection.get(url.resolve("/api/events")));
        sockets.add(socket);
        return socket;
    }

    private boolean readAll(Socket socket) throws IOException {
        try (var in = socket.getInputStream()) {
            var buffer = new byte[8192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                receivedBytes.addAndGet(read);
            }
        } finally {
            if (!isClosed) {
                ended.incrementAndGet();
            }
        }
        return true;
    }

    private boolean connectAgain(Duration first) throws IOException, InterruptedException {
        for (var wait = first; !isClosed; wait = CONNECT_AGAIN) {
            var socket = connect();
            Thread.sleep(wait);
            sockets.remove(socket);
            socket.close();
        }
        return true;
    }

    @Override
    public String toString() {
        return "%d streams open, %d MiB received by half of them, %d ended by the server"
                .formatted(sockets.size(), receivedBytes.get() >> 20, ended.get());
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        for (var socket : sockets) {
            socket.close();
        }
    }
}
