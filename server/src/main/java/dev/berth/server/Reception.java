package dev.berth.server;

import dev.berth.core.task.Owner;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs.LogUnreadable;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Json;
import dev.berth.server.http.Refused;
import dev.berth.server.http.RouteTable;
import dev.berth.server.identity.BrowserRules;
import dev.berth.server.identity.Doorman;
import dev.berth.server.identity.Who;
import dev.berth.wire.Problem;

import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Takes every request in: is it a browser's trick, who is it, which route, what comes of it. */
final class Reception extends Handler.Abstract {

    private static final Logger log = LoggerFactory.getLogger(Reception.class);

    private final RouteTable table;
    private final Doorman doorman;
    private final String version;

    Reception(RouteTable table, Doorman doorman, String version) {
        this.table = table;
        this.doorman = doorman;
        this.version = version;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        send(response, callback, answer(request));
        return true;
    }

    /**
     * For requests that never came as far as {@link #handle}: Jetty could not read them, or failed
     * over them.
     */
    Request.Handler unreadable() {
        return (request, response, callback) -> {
            int status = response.getStatus() < 400 ? 400 : response.getStatus();
            var detail =
                    status >= 500
                            ? "Berth failed to answer this; its log says why."
                            : "This request cannot be read as HTTP: "
                                    + HttpStatus.getMessage(status)
                                    + ".";
            send(
                    response,
                    callback,
                    Answer.problem(status, status >= 500 ? "internal" : "http.unreadable", detail));
            return true;
        };
    }

    private void send(Response response, Callback callback, Answer answer) {
        var bytes = Json.write(answer.body());
        response.setStatus(answer.status());
        var headers = response.getHeaders();
        answer.headers().forEach(headers::put);
        headers.put("X-Berth-Version", version);
        headers.put(HttpHeader.CONTENT_TYPE, "application/json");
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put(HttpHeader.CONTENT_LENGTH, bytes.length);
        response.write(true, ByteBuffer.wrap(bytes), callback);
    }

    private Answer answer(Request request) {
        try {
            return decide(request);
        } catch (Refused refused) {
            return refused.answer();
        } catch (StoreFailure failure) {
            log.warn("reading the store failed: {}", failure.getMessage());
            return unavailable(
                    "store.unavailable", "Berth's database cannot be read now. Try again.");
        } catch (LogUnreadable failure) {
            log.warn("reading a log failed: {}", failure.getMessage());
            return unavailable(
                    "log.unreadable", "The log cannot be read now: " + failure.getMessage());
        } catch (RuntimeException defect) {
            return defect instanceof HttpException http && http.getCode() < 500
                    ? Answer.problem(
                            http.getCode(),
                            "http.unreadable",
                            "This request cannot be read as HTTP.")
                    : failed(request, defect);
        }
    }

    private Answer decide(Request request) throws Refused, StoreFailure, LogUnreadable {
        var trick = BrowserRules.refusal(request);
        if (trick.isPresent()) {
            return trick.get();
        }
        var found = table.find(request.getMethod(), request.getHttpURI().getCanonicalPath());
        var open =
                found instanceof RouteTable.Found.One(var route, _)
                        && route.access() == Access.ANYONE;
        Optional<Owner> caller = Optional.empty();
        if (!open) {
            switch (doorman.who(request)) {
                case Who.Served(var owner) -> caller = Optional.of(owner);
                case Who.Stranger(var answer) -> {
                    return answer;
                }
            }
        }
        return switch (found) {
            case RouteTable.Found.One one ->
                    one.route().action().answer(new Call(request, one, caller));
            case RouteTable.Found.OtherMethods(var allowed) ->
                    Answer.problem(
                                    405,
                                    "method.unknown",
                                    "Here Berth answers " + allowed + " only.")
                            .with("Allow", allowed);
            case RouteTable.Found.Nothing _ ->
                    Answer.problem(
                            404,
                            "path.unknown",
                            "There is nothing at this address. /api/openapi.json lists what there"
                                    + " is.");
        };
    }

    private static Answer unavailable(String code, String detail) {
        return Answer.problem(503, code, detail).with("Retry-After", "1");
    }

    private static Answer failed(Request request, RuntimeException defect) {
        var incident = UUID.randomUUID().toString().substring(0, 8);
        log.error("incident={} {} failed", incident, request.getMethod(), defect);
        return Answer.of(
                500,
                new Problem(
                        "Berth failed to answer this. Its log says why, under incident "
                                + incident
                                + ".",
                        "internal",
                        null,
                        Map.of("incident", incident)));
    }
}
