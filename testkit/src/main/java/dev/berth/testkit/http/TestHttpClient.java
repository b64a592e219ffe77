package dev.berth.testkit.http;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A plain HTTP client that sends exactly the given bytes, over TCP or a Unix socket. */
public record TestHttpClient(SocketAddress address) {

    private static final JsonMapper JSON = JsonMapper.shared();

    public static TestHttpClient port(int port) {
        return new TestHttpClient(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    public static TestHttpClient socket(Path path) {
        return new TestHttpClient(UnixDomainSocketAddress.of(path));
    }

    /** Header names are in lower case. */
    public record Reply(int status, Map<String, String> headers, String text) {

        public JsonNode json() {
            return JSON.readTree(text);
        }

        public Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
        }

        public String code() {
            return json().path("code").asString("");
        }

        public String field() {
            return json().path("field").asString("");
        }

        @Override
        public String toString() {
            return status + " " + headers + " " + text;
        }
    }

    public Reply get(String path, String... headers) {
        return send("GET", path, List.of(headers), new byte[0]);
    }

    public Reply post(String path, String body, String... headers) {
        return send("POST", path, List.of(headers), body.getBytes(StandardCharsets.UTF_8));
    }

    public Reply patch(String path, String body, String... headers) {
        return send("PATCH", path, List.of(headers), body.getBytes(StandardCharsets.UTF_8));
    }

    public Reply send(String method, String path, List<String> headers, byte[] body) {
        var head = new StringBuilder(method + " " + path + " HTTP/1.1\r\nConnection: close\r\n");
        if (headers.stream().noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("host:"))) {
            head.append("Host: localhost\r\n");
        }
        headers.forEach(line -> head.append(line).append("\r\n"));
        if (body.length > 0 || method.equals("POST")) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
        bytes.writeBytes(body);
        return parse(raw(bytes.toByteArray()));
    }

    /** Sends these bytes and returns everything until the server closes the connection. */
    public byte[] raw(byte[] bytes) {
        return exchange(bytes, false);
    }

    /** The same, but shuts down the output afterwards. */
    public byte[] rawThenShutdown(byte[] bytes) {
        return exchange(bytes, true);
    }

    private byte[] exchange(byte[] bytes, boolean isAll) {
        try (var channel = SocketChannel.open(address)) {
            var out = ByteBuffer.wrap(bytes);
            while (out.hasRemaining()) {
                channel.write(out);
            }
            if (isAll) {
                channel.shutdownOutput();
            }
            var answer = new ByteArrayOutputStream();
            readAll(channel, answer);
            return answer.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void readAll(SocketChannel channel, ByteArrayOutputStream into)
            throws IOException {
        var buffer = ByteBuffer.allocate(64 << 10);
        try {
            while (channel.read(buffer) >= 0) {
                into.write(buffer.array(), 0, buffer.position());
                buffer.clear();
            }
        } catch (IOException e) {
            if (into.size() == 0) {
                throw e;
            }
        }
    }

    public static Reply parse(byte[] bytes) {
        var text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            throw new IllegalStateException("no HTTP answer: " + text);
        }
        var lines = text.substring(0, end).split("\r\n");
        var headers = new TreeMap<String, String>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            headers.put(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).strip());
        }
        int status = Integer.parseInt(lines[0].split(" ")[1]);
        return new Reply(
                status,
                headers,
                new String(bytes, end + 4, bytes.length - end - 4, StandardCharsets.UTF_8));
    }
}
