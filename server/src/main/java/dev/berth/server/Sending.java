package dev.berth.server;

import dev.berth.server.http.Answer;
import dev.berth.server.http.Content;
import dev.berth.server.http.Json;
import dev.berth.server.http.Outlet;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Puts answers on the wire, with the headers that all of them carry.
 *
 * @param deadline how long the client of a stream may not read
 * @param answered told of every status
 */
record Sending(String version, Duration deadline, IntConsumer answered) {

    private static final Logger log = LoggerFactory.getLogger(Sending.class);

    /** The console needs no more than this, and an answer of the API nothing at all. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self';"
                    + " frame-ancestors 'none'";

    private static final Map<String, String> ALWAYS =
            Map.of(
                    "Content-Security-Policy", POLICY,
                    "Cross-Origin-Opener-Policy", "same-origin",
                    "Cross-Origin-Resource-Policy", "same-origin",
                    "Referrer-Policy", "no-referrer",
                    "X-Content-Type-Options", "nosniff",
                    "X-Frame-Options", "DENY");

    void send(Request request, Response response, Callback callback, Answer answer) {
        response.setStatus(answer.status());
        answered.accept(answer.status());
        var headers = response.getHeaders();
        ALWAYS.forEach(headers::put);
        headers.put("X-Berth-Version", version);
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        answer.headers().forEach(headers::put);
        switch (answer.content()) {
            case Content.Json(var body) ->
                    whole(response, callback, "application/json", Json.line(body));
            case Content.Bytes(var type, var bytes) -> whole(response, callback, type, bytes);
            case Content.Nothing _ -> response.write(true, ByteBuffer.allocate(0), callback);
            case Content.Stream(var show) -> stream(request, response, callback, show);
        }
    }

    private static void whole(Response response, Callback callback, String type, byte[] bytes) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
        response.write(true, ByteBuffer.wrap(bytes), callback);
    }

    /** On this request's own thread, which is a virtual one and may wait. */
    private void stream(Request request, Response response, Callback callback, Content.Show show) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        // A proxy that gathers before it passes on would hold back what is live.
        response.getHeaders().put("X-Accel-Buffering", "no");
        try {
            show.to(new Outlet(request, response, deadline));
            response.write(true, ByteBuffer.allocate(0), callback);
        } catch (IOException gone) {
            log.debug("a stream ended: {}", gone.getMessage());
            callback.failed(gone);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            callback.failed(stopping);
        } catch (RuntimeException defect) {
            log.error("a stream failed", defect);
            callback.failed(defect);
        }
    }
}
