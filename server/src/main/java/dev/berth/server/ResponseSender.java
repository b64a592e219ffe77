package dev.berth.server;

import dev.berth.http.ResponseBody;
import dev.berth.http.RouteResponse;
import dev.berth.http.StreamOutput;
import dev.berth.json.WireJson;

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
 * Sends responses, with the headers that every response carries.
 *
 * @param deadline how long a stream's client may take to read one write
 */
public record ResponseSender(Reporting reporting, Duration deadline) {

    /**
     * @param version sent with every response
     * @param answered receives the status of every response
     */
    public record Reporting(String version, IntConsumer answered) {}

    private static final Logger log = LoggerFactory.getLogger(ResponseSender.class);

    /** The most that the console needs. API responses need nothing. */
    private static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self';"
                    + " frame-ancestors 'none'";

    private static final Map<String, String> COMMON_HEADERS =
            Map.of(
                    "Content-Security-Policy", CONTENT_SECURITY_POLICY,
                    "Cross-Origin-Opener-Policy", "same-origin",
                    "Cross-Origin-Resource-Policy", "same-origin",
                    "Referrer-Policy", "no-referrer",
                    "X-Content-Type-Options", "nosniff",
                    "X-Frame-Options", "DENY");

    void send(Request request, Response response, Callback callback, RouteResponse answer) {
        response.setStatus(answer.status());
        reporting.answered().accept(answer.status());
        var headers = response.getHeaders();
        COMMON_HEADERS.forEach(headers::put);
        headers.put("X-Berth-Version", reporting.version());
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        answer.headers().forEach(headers::put);
        switch (answer.content()) {
            case ResponseBody.Json(var body) ->
                    sendWhole(response, callback, "application/json", WireJson.writeLine(body));
            case ResponseBody.Rows(var first, var rest) -> {
                response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
                sendParts(
                        request, response, callback, out -> new RowWriter(out).write(first, rest));
            }
            case ResponseBody.Bytes(var type, var bytes) ->
                    sendWhole(response, callback, type, bytes);
            case ResponseBody.Download(var type, var writer) -> {
                response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
                sendParts(request, response, callback, writer);
            }
            case ResponseBody.Empty _ -> response.write(true, ByteBuffer.allocate(0), callback);
            case ResponseBody.Stream(var show) -> sendStream(request, response, callback, show);
        }
    }

    private static void sendWhole(Response response, Callback callback, String type, byte[] bytes) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
        response.write(true, ByteBuffer.wrap(bytes), callback);
    }

    /** Runs on the request's virtual thread, which may block. */
    private void sendStream(
            Request request, Response response, Callback callback, ResponseBody.StreamWriter show) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        // A proxy that buffers would hold back live events.
        response.getHeaders().put("X-Accel-Buffering", "no");
        sendParts(request, response, callback, show);
    }

    /** A client that does not read in time is disconnected. */
    private void sendParts(
            Request request, Response response, Callback callback, ResponseBody.StreamWriter show) {
        try {
            show.writeTo(new StreamOutput(request, response, deadline));
            response.write(true, ByteBuffer.allocate(0), callback);
        } catch (IOException gone) {
            // Closes the connection without the end of the response, so that the client notices.
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
