package dev.berth.app.endtoend;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Over the home's Unix socket, as the CLI does. HTTP/1.0: the reply ends with the connection. */
record SocketTestClient(Path socket) implements TestClient {

    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *([0-9]+)");

    @Override
    public TestReply send(TestRequest ask) {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            var request = ByteBuffer.wrap(written(ask));
            while (request.hasRemaining()) {
                channel.write(request);
            }
            return parsed(Channels.newInputStream(channel).readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(ask.method() + " " + ask.path() + " on " + socket, e);
        }
    }

    private static byte[] written(TestRequest ask) {
        var body = ask.body().getBytes(StandardCharsets.UTF_8);
        var head = new StringBuilder();
        head.append(ask.method()).append(' ').append(ask.path()).append(" HTTP/1.0\r\n");
        head.append("Host: localhost\r\nContent-Length: ").append(body.length).append("\r\n");
        ask.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(body);
        return bytes.toByteArray();
    }

    /** A killed server may have sent only a part, or nothing. */
    private static TestReply parsed(byte[] answer) throws EOFException {
        var text = new String(answer, StandardCharsets.UTF_8);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            throw new EOFException("it ended within the head of the answer: " + text);
        }
        var body = text.substring(end + 4);
        var length = LENGTH.matcher(text.substring(0, end));
        if (length.find()
                && body.getBytes(StandardCharsets.UTF_8).length
                        < Integer.parseInt(length.group(1))) {
            throw new EOFException("it ended within the answer: " + text);
        }
        return new TestReply(Integer.parseInt(text.split(" ", 3)[1]), body);
    }
}
