package dev.berth.testkit;

import static dev.berth.testkit.Eventually.eventually;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Listens to server-sent events on a connection of its own, and keeps all that it hears. */
public final class EventClient implements AutoCloseable {

    private final Socket socket;
    private final List<Heard> heard = new CopyOnWriteArrayList<>();
    private final List<String> head = new CopyOnWriteArrayList<>();
    private final AtomicInteger comments = new AtomicInteger();
    private volatile boolean ended;

    /** One message; what it lacks is empty. */
    public record Heard(String event, String id, String data) {}

    private EventClient(Socket socket) {
        this.socket = socket;
    }

    /**
     * @param url where the server is
     * @param headers whole lines
     */
    public static EventClient listen(String url, String target, String... headers) {
        var client = connect(url, target, 64 << 10, headers);
        Thread.ofVirtual().start(client::read);
        return client;
    }

    /** Asks for a stream and then never reads any of it. */
    public static EventClient deaf(String url, String target, String... headers) {
        return connect(url, target, 4096, headers);
    }

    private static EventClient connect(String url, String target, int buffer, String... headers) {
        try {
            var socket = new Socket();
            socket.setReceiveBufferSize(buffer);
            int port = URI.create(url).getPort();
            socket.connect(
                    new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10_000);
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
            // Cut, which is an end too.
        } finally {
            ended = true;
        }
    }

    /** The chunks of the transfer begin with their length, on a line that is no field. */
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
            heard.add(new Heard(fields[0], fields[1], fields[2]));
            fields[0] = "";
            fields[1] = "";
            fields[2] = "";
        }
    }

    /** The status line and the headers. */
    public List<String> head() {
        return List.copyOf(head);
    }

    public List<Heard> heard() {
        return List.copyOf(heard);
    }

    public List<Heard> heard(String event) {
        return heard.stream().filter(one -> one.event().equals(event)).toList();
    }

    /** Signs of life without a word. */
    public int comments() {
        return comments.get();
    }

    public boolean isEnded() {
        return ended;
    }

    /** The newest message with an id, as a browser would send it back. */
    public String lastId() {
        return heard.reversed().stream()
                .map(Heard::id)
                .filter(id -> !id.isEmpty())
                .findFirst()
                .orElse("");
    }

    public void await(String what, Predicate<EventClient> condition) {
        eventually(what, () -> condition.test(this));
    }

    /** Whether the other side has answered, read or not. */
    public boolean isSpokenTo() {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException _) {
            return false;
        }
    }

    /** False once the other side has cut the connection: what is sent there then comes back. */
    public boolean canStillBeWrittenTo() {
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
