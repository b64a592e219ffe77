package dev.berth.server.stream;

import dev.berth.server.http.Json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Messages in the format of server-sent events, as bytes. JSON has no line breaks of its own. */
public final class Message {

    /** Browsers come back this soon after a connection was lost. */
    static final byte[] HELLO = bytes("retry: 1000\n\n");

    /** Says nothing, but shows that both ends are there. */
    static final byte[] HEARTBEAT = bytes(":\n\n");

    private Message() {}

    public static byte[] of(String event, Object data) {
        return joined(bytes("event: " + event + "\n"), data);
    }

    public static byte[] of(String event, long id, Object data) {
        return joined(bytes("event: " + event + "\nid: " + id + "\n"), data);
    }

    static byte[] resync(long seq) {
        return of("resync", seq, Map.of());
    }

    private static byte[] joined(byte[] head, Object data) {
        var message = new ByteArrayOutputStream();
        message.writeBytes(head);
        message.writeBytes(bytes("data: "));
        message.writeBytes(Json.write(data));
        message.writeBytes(bytes("\n\n"));
        return message.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
