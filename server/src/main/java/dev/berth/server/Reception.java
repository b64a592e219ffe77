package dev.berth.server;

import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs.LogUnreadable;
import dev.berth.server.audit.Auditor;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Caller;
import dev.berth.server.http.Refused;
import dev.berth.server.http.RouteTable;
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

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Takes every request in: may it pass, which route, what comes of it; and writes that down. */
final class Reception extends Handler.Abstract {

    private static final Logger log = LoggerFactory.getLogger(Reception.class);

    private final RouteTable table;
    private final Gate gate;
    private final Sending sending;
    private final Auditor auditor;
    private final boolean isBehindProxy;

    Reception(RouteTable table, Gate gate, Sending sending, Auditor auditor, boolean behindProxy) {
        this.table = table;
        this.gate = gate;
        this.sending = sending;
        this.auditor = auditor;
        this.isBehindProxy = behindProxy;
    }

    /** What became of a request. */
    private record Visited(Answer answer, Optional<Caller> caller, String route, boolean isLogin) {}

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        HeadersDeadline.met(request);
        var visited = visit(request);
        var answer = gate.readable(request, visited.answer());
        auditor.note(
                new Auditor.Visit(
                        method(request),
                        visited.route(),
                        from(request),
                        visited.caller(),
                        answer.status(),
                        visited.isLogin()));
        sending.send(request, response, callback, answer);
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
            sending.send(
                    request,
                    response,
                    callback,
                    Answer.problem(status, status >= 500 ? "internal" : "http.unreadable", detail));
            return true;
        };
    }

    private Visited visit(Request request) {
        try {
            var found = table.find(request.getMethod(), request.getHttpURI().getCanonicalPath());
            var route = found instanceof RouteTable.Found.One(var one, _) ? one.path().text() : "-";
            return switch (gate.pass(request, found)) {
                case Gate.Passage.Out(var caller, var answer) ->
                        new Visited(answer, caller, route, false);
                case Gate.Passage.In(var caller) -> {
                    var answer = answer(request, found, caller);
                    yield new Visited(
                            answer,
                            caller.isPresent() ? caller : answer.to(),
                            route,
                            route.startsWith("/login/"));
                }
            };
        } catch (RuntimeException defect) {
            return new Visited(broken(request, defect), Optional.empty(), "-", false);
        }
    }

    private Answer answer(Request request, RouteTable.Found found, Optional<Caller> caller) {
        try {
            return decide(request, found, caller);
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
            return broken(request, defect);
        }
    }

    private Answer decide(Request request, RouteTable.Found found, Optional<Caller> caller)
            throws Refused, StoreFailure, LogUnreadable {
        return switch (found) {
            case RouteTable.Found.One one ->
                    one.route()
                            .action()
                            .answer(new Call(request, one, caller, () -> gate.known(request)));
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

    private static Answer broken(Request request, RuntimeException defect) {
        return defect instanceof HttpException http && http.getCode() < 500
                ? Answer.problem(
                        http.getCode(), "http.unreadable", "This request cannot be read as HTTP.")
                : failed(request, defect);
    }

    private static Answer unavailable(String code, String detail) {
        return Answer.problem(503, code, detail).with("Retry-After", "1");
    }

    private static Answer failed(Request request, RuntimeException defect) {
        var incident = UUID.randomUUID().toString().substring(0, 8);
        log.error("incident={} {} failed", incident, method(request), defect);
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

    /** A caller may send any word for a method, of any length. */
    private static String method(Request request) {
        var method = request.getMethod();
        return method.matches("[A-Z]{1,10}") ? method : "OTHER";
    }

    /** Behind a proxy the last address in its header is the one that the proxy saw itself. */
    private String from(Request request) {
        if (!(request.getConnectionMetaData().getRemoteSocketAddress()
                instanceof InetSocketAddress client)) {
            return Auditor.SOCKET;
        }
        var direct = client.getAddress().getHostAddress();
        var told = request.getHeaders().getLast(HttpHeader.X_FORWARDED_FOR);
        if (!isBehindProxy || told == null) {
            return direct;
        }
        var last = told.substring(told.lastIndexOf(',') + 1).strip();
        return last.matches("[0-9A-Fa-f.:]{2,45}") ? last + "(by " + direct + ")" : direct;
    }
}
