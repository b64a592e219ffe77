package dev.berth.http;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads and discards the body of a refused request. Otherwise the connection is closed while the
 * client still sends, and the client sees a reset connection instead of the answer.
 */
public final class UnreadBody {

    /** A client that sends more may not get the answer. */
    public static final int MAX_BYTES = 64 << 20;

    /** For clients that send slowly on purpose. */
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int CHUNK_BYTES = 64 << 10;

    private UnreadBody() {}

    /**
     * @param nanos a monotonic clock
     */
    public static void discard(Request request, LongSupplier nanos) {
        // This client sends its body only after it was asked to.
        if (request.getHeaders().contains(HttpHeader.EXPECT) || request.getLength() > MAX_BYTES) {
            return;
        }
        long start = nanos.getAsLong();
        long left = MAX_BYTES;
        var chunk = new byte[CHUNK_BYTES];
        try {
            var in = Request.asInputStream(request);
            while (left > 0 && nanos.getAsLong() - start < MAX_NANOS) {
                int read = in.read(chunk);
                if (read < 0) {
                    return;
                }
                left -= read;
            }
        } catch (IOException _) {
            // The client has disconnected and cannot receive the answer.
        }
    }
}
