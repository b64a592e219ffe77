package dev.berth.cli.client;

import dev.berth.cli.client.ConnectionFailure.Kind;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Reads one HTTP/1.1 reply from a channel, with limits on its size. */
final class HttpReplyReader {

    static final int MAX_HEAD_BYTES = 64 * 1024;
    static final int MAX_BODY_BYTES = 64 * 1024 * 1024;

    private static final String ENDED_EARLY = "it ended before the answer did";

    private final ReadableByteChannel from;
    private final SpareArrays spareArrays;
    private final ByteBuffer buffer = ByteBuffer.allocate(16 * 1024).limit(0);
    private int headBytes;
    private boolean isReusable;

    HttpReplyReader(ReadableByteChannel from, SpareArrays spareArrays) {
        this.from = from;
        this.spareArrays = spareArrays;
    }

    /** True if the connection can be used for another exchange. */
    boolean isReusable() {
        return isReusable;
    }

    ApiReply read() throws IOException {
        int status;
        Map<String, String> headers;
        do {
            status = status(line());
            headers = headers();
        } while (status < 200); // A 1xx reply precedes the final one.
        byte[] body = body(status, headers);
        isReusable &=
                !"close".equalsIgnoreCase(headers.get("connection")) && !buffer.hasRemaining();
        return new ApiReply(status, headers, body);
    }

    private static int status(String line) throws ConnectionFailure {
        if (!line.startsWith("HTTP/1.") || line.length() < 12 || line.charAt(8) != ' ') {
            throw malformed("it does not speak HTTP");
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
        isReusable = true;
        if (status == 204 || status == 304) {
            return new byte[0];
        }
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return chunks();
        }
        String length = headers.get("content-length");
        if (length == null) {
            isReusable = false;
            return bodyUntilClose();
        }
        byte[] body = spareArrays.take(checkSize(number(length, 10)));
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
                headers(); // Ignores trailers.
                return body.toByteArray();
            }
            checkSize(body.size() + (long) size);
            byte[] chunk = new byte[size];
            fill(chunk);
            body.writeBytes(chunk);
            if (!line().isEmpty()) {
                throw malformed("a chunk is longer than announced");
            }
        }
    }

    /** A reply without a length ends with the connection. */
    private byte[] bodyUntilClose() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        do {
            body.write(buffer.array(), buffer.position(), buffer.remaining());
            buffer.position(buffer.limit());
            checkSize(body.size());
        } while (fillBuffer());
        return body.toByteArray();
    }

    private void fill(byte[] target) throws IOException {
        int at = 0;
        while (at < target.length) {
            if (!buffer.hasRemaining()) {
                // Past the buffer: a large body would need many small reads.
                int read = from.read(ByteBuffer.wrap(target, at, target.length - at));
                if (read <= 0) {
                    throw new EOFException(ENDED_EARLY);
                }
                at += read;
                continue;
            }
            int count = Math.min(buffer.remaining(), target.length - at);
            buffer.get(target, at, count);
            at += count;
        }
    }

    /** One line without its line end. */
    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
        while (true) {
            requireByte();
            char character = (char) (buffer.get() & 0xff);
            if (character == '\n') {
                int length = line.length();
                if (length > 0 && line.charAt(length - 1) == '\r') {
                    line.setLength(length - 1);
                }
                return line.toString();
            }
            if (++headBytes > MAX_HEAD_BYTES) {
                throw malformed("its header is too long");
            }
            line.append(character);
        }
    }

    private void requireByte() throws IOException {
        if (!buffer.hasRemaining() && !fillBuffer()) {
            throw new EOFException(ENDED_EARLY);
        }
    }

    private boolean fillBuffer() throws IOException {
        buffer.clear();
        int count = from.read(buffer);
        buffer.flip();
        return count > 0;
    }

    private static int number(String text, int radix) throws ConnectionFailure {
        try {
            int number = Integer.parseInt(text, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Reported below, together with negative numbers.
        }
        throw malformed("a number in its header cannot be read");
    }

    private static int checkSize(long bytes) throws ConnectionFailure {
        if (bytes < 0 || bytes > MAX_BODY_BYTES) {
            throw malformed("its answer is larger than " + (MAX_BODY_BYTES >> 20) + " MiB");
        }
        return (int) bytes;
    }

    private static ConnectionFailure malformed(String reason) {
        return new ConnectionFailure(Kind.MALFORMED_REPLY, reason);
    }
}
