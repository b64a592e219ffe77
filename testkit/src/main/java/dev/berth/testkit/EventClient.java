package dev.berth.testkit;

import static dev.berth.testkit.Eventually.eventually;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Receives server-sent events on its own connection and stores them all. */
public final class EventClient implements AutoCloseable {

    private final Socket socket;
    private final List<ReceivedEvent> received = new CopyOnWriteArrayList<>();
    private final List<String> head = new CopyOnWriteArrayList<>();
    private final AtomicInteger comments = new AtomicInteger();
    private volatile boolean isEnded;

    /** One message. A missing field is empty. */
    public record ReceivedEvent(String event, String id, String data) {}

    private EventClient(Socket socket) {
        this.socket = socket;
    }

    /**
     * @param url of the server
     * @param headers complete header lines
     */
    public static EventClient listen(String url, String target, String... headers) {
        var client = connect(url, target, 64 << 10, headers);
        Thread.ofVirtual().start(client::read);
        return client;
    }

    /** Requests a stream and never reads it. */
    public static EventClient connectWithoutReading(String url, String target, String... headers) {
        return connect(url, target, 4096, headers);
    }

    private static EventClient connect(String url, String target, int buffer, String... headers) {
        try {
            var socket = new Socket();
            socket.setReceiveBufferSize(buffer);
            int port = URI.create(url).getPort();
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10_000);
            var request =
                    new StringBuilder(
                            "GET "
                                    + target
                                    + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n");
            for (var header : headers) {
                request.append(header).append("\r\n");
            }
            socket.getOutputStream()
                    .write(request.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
            return new EventClient(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (var in =
                new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            for (var line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                head.add(line);
            }
            var fields = new String[] {"", "", ""};
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                take(line, fields);
            }
        } catch (IOException _) {
            // The connection was reset: the stream has ended.
        } finally {
            isEnded = true;
        }
    }

    /** Ignores the lengths of the HTTP chunks, which stand on lines of their own. */
    private void take(String line, String[] fields) {
        if (line.startsWith(":")) {
            comments.incrementAndGet();
        } else if (line.startsWith("event: ")) {
            fields[0] = line.substring(7);
        } else if (line.startsWith("id: ")) {
            fields[1] = line.substring(4);
        } else if (line.startsWith("data: ")) {
            fields[2] = line.substring(6);
        } else if (line.isEmpty() && !fields[0].isEmpty()) {
            received.add(new ReceivedEvent(fields[0], fields[1], fields[2]));
            fields[0] = "";
            fields[1] = "";
            fields[2] = "";
        }
    }

    /** The status line and the headers. */
    public List<String> head() {
        return List.copyOf(head);
    }

    public List<ReceivedEvent> received() {
        return List.copyOf(received);
    }

    public List<ReceivedEvent> received(String event) {
        return received.stream().filter(one -> one.event().equals(event)).toList();
    }

    /** The number of comments, which the server sends to keep the connection alive. */
    public int comments() {
        return comments.get();
    }

    public boolean isEnded() {
        return isEnded;
    }

    /** The id of the newest message that has one, as a browser sends it when it reconnects. */
    public String lastId() {
        return received.reversed().stream()
                .map(ReceivedEvent::id)
                .filter(id -> !id.isEmpty())
                .findFirst()
                .orElse("");
    }

    public void await(String what, Predicate<EventClient> condition) {
        eventually(what, () -> condition.test(this));
    }

    /** True if the server has sent data that is not read yet. */
    public boolean hasUnreadData() {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException _) {
            return false;
        }
    }

    /** False once the server has closed the connection: writing then fails. */
    public boolean isWritable() {
        try {
            socket.getOutputStream().write('\n');
            socket.getOutputStream().flush();
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
