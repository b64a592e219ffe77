package dev.berth.server;

import dev.berth.testkit.http.TestHttpClient;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Many requests on one connection: thousands of connections would fill the kernel's socket table.
 */
final class KeepAliveConnection implements AutoCloseable {

    private final int port;
    private Socket socket;
    private InputStream in;

    KeepAliveConnection(int port) {
        this.port = port;
        connect();
    }

    private void connect() {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    TestHttpClient.Reply send(String method, String path, List<String> headers, byte[] body) {
        var head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        if (headers.stream().noneMatch(line -> line.startsWith("Host:"))) {
            head.append("Host: localhost\r\n");
        }
        headers.forEach(line -> head.append(line).append("\r\n"));
        head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
        var request = new ByteArrayOutputStream();
        request.writeBytes(head.toString().getBytes(StandardCharsets.UTF_8));
        request.writeBytes(body);
        try {
            socket.getOutputStream().write(request.toByteArray());
            var reply = TestHttpClient.parse(answer(method.equals("HEAD")));
            if (reply.header("Connection").orElse("").equals("close")) {
                socket.close();
                connect();
            }
            return reply;
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        }
    }

    private byte[] answer(boolean isHead) throws IOException {
        var bytes = new ByteArrayOutputStream();
        while (!bytes.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            bytes.write(next);
        }
        var length = TestHttpClient.parse(bytes.toByteArray()).header("Content-Length");
        if (!isHead && length.isPresent()) {
            bytes.writeBytes(in.readNBytes(Integer.parseInt(length.get())));
        }
        return bytes.toByteArray();
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
