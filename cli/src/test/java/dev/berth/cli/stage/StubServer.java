package dev.berth.cli.stage;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** HTTP/1.1 on a Unix socket, with answers set by the test. */
public final class StubServer implements Closeable {

    /** One request as it arrived. */
    public record Seen(
            String method,
            String target,
            Map<String, String> headers,
            String body,
            int connection) {
        public String line() {
            return method + " " + target;
        }
    }

    /** What is sent back for a request. */
    public interface Answer {
        /**
         * @return whether the connection stays open
         */
        boolean send(Seen seen, OutputStream to) throws IOException;
    }

    private final Path socket;
    private final Map<String, Deque<Answer>> answers = new ConcurrentHashMap<>();
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final List<SocketChannel> connections = new CopyOnWriteArrayList<>();
    private volatile String version = "";
    private volatile ServerSocketChannel listening;
    private volatile Thread acceptor;

    public StubServer(Path socket) {
        this.socket = socket;
        start();
    }

    /** Listens, again after {@link #stop}. */
    public void start() {
        try {
            ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            channel.bind(UnixDomainSocketAddress.of(socket));
            listening = channel;
            acceptor = Thread.ofVirtual().start(() -> accept(channel));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** As a killed server leaves things: connections broken, the socket's file still there. */
    public void stop() {
        try {
            stopListening();
            breakConnections();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Stopped, and its socket removed: as if it had never been. */
    @Override
    public void close() {
        try {
            stopListening();
            Files.deleteIfExists(socket);
            // Last, for it is what a client notices: it may then act on all the rest.
            breakConnections();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Killed and started again, so quickly that a client cannot meet it absent. */
    public void restart() {
        try {
            stopListening();
            Files.deleteIfExists(socket);
            start();
            breakConnections();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Only when nobody is about to accept any more are connections really refused. */
    private void stopListening() throws IOException {
        listening.close();
        try {
            acceptor.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void breakConnections() throws IOException {
        for (SocketChannel connection : connections) {
            connection.close();
        }
        connections.clear();
    }

    /** Answers to this request line, one after the other; the last one stays. */
    public StubServer on(String line, Answer... inTurn) {
        answers.computeIfAbsent(line, _ -> new ArrayDeque<>()).addAll(List.of(inTurn));
        return this;
    }

    public StubServer on(String line, String json) {
        return on(line, json(200, json));
    }

    /** As if nothing had been set for this request line. */
    public void forget(String line) {
        answers.remove(line);
    }

    public void version(String sent) {
        version = sent;
    }

    public List<Seen> seen() {
        return seen;
    }

    public List<String> lines() {
        return seen.stream().map(Seen::line).toList();
    }

    public Answer json(int status, String body) {
        return raw(head(status) + "Content-Length: " + bytes(body).length + "\r\n\r\n" + body);
    }

    /** The body in pieces of a few bytes. */
    public Answer chunked(String body, int size) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        text.writeBytes(bytes(head(200) + "Transfer-Encoding: chunked\r\n\r\n"));
        byte[] all = bytes(body);
        for (int at = 0; at < all.length; at += size) {
            int length = Math.min(size, all.length - at);
            text.writeBytes(bytes(Integer.toHexString(length) + ";note=1\r\n"));
            text.write(all, at, length);
            text.writeBytes(bytes("\r\n"));
        }
        text.writeBytes(bytes("0\r\nX-Trailer: 1\r\n\r\n"));
        return sending(text.toByteArray(), true);
    }

    public Answer raw(String text) {
        return sending(bytes(text), true);
    }

    public Answer rawThenClose(String text) {
        return sending(bytes(text), false);
    }

    /** The connection is dropped with no answer, as when the server is killed. */
    public Answer hangUp() {
        return (_, _) -> false;
    }

    /** Something happens, then the answer. */
    public Answer after(Runnable first, Answer then) {
        return (request, to) -> {
            first.run();
            return then.send(request, to);
        };
    }

    private static Answer sending(byte[] bytes, boolean keep) {
        return (_, to) -> {
            to.write(bytes);
            return keep;
        };
    }

    private String head(int status) {
        String head = "HTTP/1.1 " + status + " Some\r\nContent-Type: application/json\r\n";
        return version.isEmpty() ? head : head + "X-Berth-Version: " + version + "\r\n";
    }

    private void accept(ServerSocketChannel from) {
        try {
            for (int number = 1; ; number++) {
                SocketChannel connection = from.accept();
                connections.add(connection);
                int known = number;
                Thread.ofVirtual().start(() -> serve(connection, known));
            }
        } catch (ClosedChannelException stopped) {
            // The test is done with it.
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void serve(SocketChannel connection, int number) {
        try (connection) {
            InputStream in = new BufferedInputStream(Channels.newInputStream(connection));
            OutputStream out = Channels.newOutputStream(connection);
            for (Seen request = read(in, number); request != null; request = read(in, number)) {
                seen.add(request);
                if (!answer(request).send(request, out)) {
                    return;
                }
            }
        } catch (IOException gone) {
            // The client left, or the test stopped the server.
        }
    }

    private synchronized Answer answer(Seen request) {
        Deque<Answer> inTurn = answers.get(request.line());
        if (inTurn == null) {
            return json(404, "{\"detail\":\"no such thing: " + request.line() + "\"}");
        }
        return inTurn.size() > 1 ? inTurn.remove() : inTurn.element();
    }

    private static Seen read(InputStream in, int connection) throws IOException {
        String first = line(in);
        if (first == null) {
            return null;
        }
        Map<String, String> headers = new HashMap<>();
        for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        String[] words = first.split(" ");
        return new Seen(words[0], words[1], headers, body, connection);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') {
                return line.toString().strip();
            }
            line.append((char) next);
        }
        return null;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
