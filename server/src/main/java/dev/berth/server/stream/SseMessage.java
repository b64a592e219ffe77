package dev.berth.server.stream;

import dev.berth.json.WireJson;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Server-sent events as bytes. The JSON in them contains no line breaks. */
public final class SseMessage {

    /** Browsers reconnect after this many milliseconds. */
    static final byte[] RETRY = bytes("retry: 1000\n\n");

    /** A comment line: keeps the connection alive and reveals a dead client. */
    static final byte[] HEARTBEAT = bytes(":\n\n");

    private SseMessage() {}

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
        message.writeBytes(WireJson.write(data));
        message.writeBytes(bytes("\n\n"));
        return message.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
