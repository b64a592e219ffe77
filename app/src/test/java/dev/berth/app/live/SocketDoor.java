package dev.berth.app.live;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Over the home's Unix socket, as the CLI comes. HTTP/1.0: the answer is all there is until the
 * end.
 */
record SocketDoor(Path socket) implements Door {

    @Override
    public Answer send(Ask ask) {
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

    private static byte[] written(Ask ask) {
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

    private static Answer parsed(byte[] answer) {
        var text = new String(answer, StandardCharsets.UTF_8);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            throw new AssertionError("not an HTTP answer: " + text);
        }
        return new Answer(Integer.parseInt(text.split(" ", 3)[1]), text.substring(end + 4));
    }
}
