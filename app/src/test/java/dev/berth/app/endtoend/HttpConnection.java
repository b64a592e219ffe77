package dev.berth.app.endtoend;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * One connection over which requests follow each other. It does as little as possible: a load test
 * shares its cores with the server, and the JDK's client takes more of them than Berth.
 */
final class HttpConnection implements AutoCloseable {

    private static final int BUFFER_BYTES = 16 << 10;

    private final Socket socket;
    private final InputStream in;

    private HttpConnection(Socket socket, InputStream in) {
        this.socket = socket;
        this.in = in;
    }

    static HttpConnection open(URI url) throws IOException {
        var socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(url.getHost(), url.getPort()));
        return new HttpConnection(
                socket, new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
    }

    static byte[] get(URI url) {
        return request("GET", url, "");
    }

    static byte[] post(URI url, String json) {
        return request("POST", url, json);
    }

    private static byte[] request(String method, URI url, String json) {
        var target = url.getRawPath() + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery());
        var body =
                json.isEmpty()
                        ? "\r\n"
                        : "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                                .formatted(json.length(), json);
        return "%s %s HTTP/1.1\r\nHost: %s\r\n%s"
                .formatted(method, target, url.getHost(), body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Sends a request, reads the whole response and returns its status. */
    int send(byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        int status = Integer.parseInt(line().split(" ")[1]);
        long length = 0;
        boolean isChunked = false;
        for (var header = line(); !header.isEmpty(); header = line()) {
            var lower = header.toLowerCase(java.util.Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Long.parseLong(lower.substring("content-length:".length()).strip());
            }
            isChunked |= lower.equals("transfer-encoding: chunked");
        }
        if (isChunked) {
            skipChunks();
        } else {
            in.skipNBytes(length);
        }
        return status;
    }

    private void skipChunks() throws IOException {
        for (long size = Long.parseLong(line(), 16); size > 0; size = Long.parseLong(line(), 16)) {
            in.skipNBytes(size);
            var _ = line();
        }
        var _ = line();
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new EOFException("the server closed the connection");
            }
            line.append((char) read);
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
