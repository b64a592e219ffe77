package dev.berth.cli.link;

import dev.berth.cli.link.LinkFailure.Kind;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Reads one answer of HTTP/1.1 from a channel, within bounds. */
final class ReplyReader {

    static final int MOST_HEAD_BYTES = 64 * 1024;
    static final int MOST_BODY_BYTES = 64 * 1024 * 1024;

    private final ReadableByteChannel from;
    private final ByteBuffer buffer = ByteBuffer.allocate(16 * 1024).limit(0);
    private int headBytes;
    private boolean mayGoOn;

    ReplyReader(ReadableByteChannel from) {
        this.from = from;
    }

    /** Whether the connection can carry another exchange. */
    boolean mayGoOn() {
        return mayGoOn;
    }

    Reply read() throws IOException {
        int status;
        Map<String, String> headers;
        do {
            status = status(line());
            headers = headers();
        } while (status < 200); // Interim answers announce the real one.
        String body = new String(body(status, headers), StandardCharsets.UTF_8);
        mayGoOn &= !"close".equalsIgnoreCase(headers.get("connection")) && !buffer.hasRemaining();
        return new Reply(status, headers, body);
    }

    private static int status(String line) throws LinkFailure {
        if (!line.startsWith("HTTP/1.") || line.length() < 12 || line.charAt(8) != ' ') {
            throw garbled("it does not speak HTTP");
        }
        return number(line.substring(9, 12), 10);
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        return headers;
    }

    private byte[] body(int status, Map<String, String> headers) throws IOException {
        mayGoOn = true;
        if (status == 204 || status == 304) {
            return new byte[0];
        }
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return chunks();
        }
        String length = headers.get("content-length");
        if (length == null) {
            mayGoOn = false;
            return rest();
        }
        byte[] body = new byte[within(number(length, 10))];
        fill(body);
        return body;
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            headBytes = 0;
            String line = line();
            int end = line.indexOf(';');
            int size = number((end < 0 ? line : line.substring(0, end)).strip(), 16);
            if (size == 0) {
                headers(); // Trailers: none that we know.
                return body.toByteArray();
            }
            within(body.size() + (long) size);
            byte[] chunk = new byte[size];
            fill(chunk);
            body.writeBytes(chunk);
            if (!line().isEmpty()) {
                throw garbled("a chunk is longer than it says");
            }
        }
    }

    /** An answer without a length ends with the connection. */
    private byte[] rest() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        do {
            body.write(buffer.array(), buffer.position(), buffer.remaining());
            buffer.position(buffer.limit());
            within(body.size());
        } while (more());
        return body.toByteArray();
    }

    private void fill(byte[] target) throws IOException {
        int at = 0;
        while (at < target.length) {
            need();
            int count = Math.min(buffer.remaining(), target.length - at);
            buffer.get(target, at, count);
            at += count;
        }
    }

    /** One line without its end. */
    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
        while (true) {
            need();
            char character = (char) (buffer.get() & 0xff);
            if (character == '\n') {
                int length = line.length();
                if (length > 0 && line.charAt(length - 1) == '\r') {
                    line.setLength(length - 1);
                }
                return line.toString();
            }
            if (++headBytes > MOST_HEAD_BYTES) {
                throw garbled("its header is too long");
            }
            line.append(character);
        }
    }

    private void need() throws IOException {
        if (!buffer.hasRemaining() && !more()) {
            throw new EOFException("it ended before the answer did");
        }
    }

    private boolean more() throws IOException {
        buffer.clear();
        int count = from.read(buffer);
        buffer.flip();
        return count > 0;
    }

    private static int number(String text, int radix) throws LinkFailure {
        try {
            int number = Integer.parseInt(text, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Said below, with the negative ones.
        }
        throw garbled("a number in its header cannot be read");
    }

    private static int within(long bytes) throws LinkFailure {
        if (bytes < 0 || bytes > MOST_BODY_BYTES) {
            throw garbled("its answer is larger than " + (MOST_BODY_BYTES >> 20) + " MiB");
        }
        return (int) bytes;
    }

    private static LinkFailure garbled(String why) {
        return new LinkFailure(Kind.GARBLED, why);
    }
}
