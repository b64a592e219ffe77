package dev.berth.server;

import dev.berth.http.Caller;
import dev.berth.http.HeaderTimeout;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.http.RouteTable;
import dev.berth.http.Sentences;
import dev.berth.http.UnreadBody;
import dev.berth.http.limit.MemoryBudget;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskLogs.LogGone;
import dev.berth.port.read.TaskLogs.LogUnreadable;
import dev.berth.telemetry.audit.Auditor;
import dev.berth.texts.Language;

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
import java.util.function.LongSupplier;

/**
 * Entry point of every request: checks access, calls the route, writes the audit entry and sends
 * the response.
 */
final class RequestHandler extends Handler.Abstract {

    private static final Logger log = LoggerFactory.getLogger(RequestHandler.class);

    private static final long UNKNOWN_BODY_BYTES = 4 << 20;

    private final MemoryBudget memory = MemoryBudget.ofThisProcess();
    private final RouteTable table;
    private final AccessPolicy gate;
    private final ResponseSender sending;
    private final Auditor auditor;
    private final boolean isBehindProxy;
    private final LongSupplier nanos;

    RequestHandler(
            RouteTable table,
            AccessPolicy gate,
            ResponseSender sending,
            Auditor auditor,
            Surroundings surroundings) {
        this.table = table;
        this.gate = gate;
        this.sending = sending;
        this.auditor = auditor;
        this.isBehindProxy = surroundings.isBehindProxy();
        this.nanos = surroundings.nanos();
    }

    /** Where it runs, and a clock that does not jump. */
    record Surroundings(boolean isBehindProxy, LongSupplier nanos) {}

    private record Outcome(
            RouteResponse answer, Optional<Caller> caller, String route, boolean isLogin) {}

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        HeaderTimeout.headersReceived(request);
        var outcome = Sentences.in(language(request), () -> outcomeOf(request));
        var answer = gate.withCorsHeaders(request, outcome.answer());
        auditor.log(
                new Auditor.AuditedRequest(
                        method(request),
                        outcome.route(),
                        clientAddress(request),
                        outcome.caller().map(RequestHandler::identity),
                        answer.status(),
                        outcome.isLogin()));
        if (answer.status() >= 400) {
            UnreadBody.discard(request, nanos);
        }
        sending.send(request, response, callback, answer);
        return true;
    }

    private static Auditor.AuditIdentity identity(Caller caller) {
        return new Auditor.AuditIdentity(caller.owner(), caller.via().label(), caller.token());
    }

    /**
     * Answers requests that never reach {@link #handle}: Jetty could not parse them, or failed on
     * them.
     */
    Request.Handler parseErrorHandler() {
        return (request, response, callback) -> {
            int status = response.getStatus() < 400 ? 400 : response.getStatus();
            sending.send(
                    request,
                    response,
                    callback,
                    Sentences.in(
                            language(request),
                            () ->
                                    status >= 500
                                            ? RouteResponse.problem(status, "internal")
                                            : RouteResponse.problem(
                                                    status,
                                                    "http.unreadable",
                                                    Map.of("why", HttpStatus.getMessage(status)))));
            return true;
        };
    }

    private Outcome outcomeOf(Request request) {
        try {
            var found = table.find(request.getMethod(), request.getHttpURI().getCanonicalPath());
            var route =
                    found instanceof RouteTable.Lookup.Match(var one, _) ? one.path().text() : "-";
            return switch (gate.check(request, found)) {
                case AccessPolicy.Decision.Denied(var caller, var answer) ->
                        new Outcome(answer, caller, route, false);
                case AccessPolicy.Decision.Allowed(var caller) -> {
                    var answer = callRoute(request, found, caller);
                    yield new Outcome(
                            answer,
                            caller.isPresent() ? caller : answer.authenticatedCaller(),
                            route,
                            route.startsWith("/login/"));
                }
            };
        } catch (RuntimeException defect) {
            return new Outcome(errorResponse(request, defect), Optional.empty(), "-", false);
        }
    }

    private RouteResponse callRoute(
            Request request, RouteTable.Lookup found, Optional<Caller> caller) {
        try (var _ = memory.reserve(bodyBytes(request))) {
            return dispatch(request, found, caller);
        } catch (RejectedException refused) {
            return refused.response();
        } catch (StoreFailure failure) {
            if (failure.kind() == StoreFailure.Kind.DAMAGED) {
                // Its description was logged once, and an alert was raised.
                return RouteResponse.problem(500, "store.damaged");
            }
            log.warn("reading the store failed: {}", failure.getMessage());
            return unavailable("store.unavailable", Map.of());
        } catch (LogGone gone) {
            return RouteResponse.problem(410, "log.gone", Map.of("path", gone.path()));
        } catch (LogUnreadable failure) {
            log.warn("reading a log failed: {}", failure.getMessage());
            return unavailable(
                    "log.unreadable", Map.of("why", String.valueOf(failure.getMessage())));
        } catch (RuntimeException defect) {
            return errorResponse(request, defect);
        }
    }

    /** A body of unknown length counts as a long one. */
    private static long bodyBytes(Request request) {
        if (request.getLength() >= 0) {
            return request.getLength();
        }
        return request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING) ? UNKNOWN_BODY_BYTES : 0;
    }

    private RouteResponse dispatch(
            Request request, RouteTable.Lookup found, Optional<Caller> caller)
            throws RejectedException, StoreFailure, LogUnreadable {
        return switch (found) {
            case RouteTable.Lookup.Match one ->
                    one.route()
                            .action()
                            .handle(
                                    new RouteRequest(
                                            request, one, caller, () -> gate.callerOf(request)));
            case RouteTable.Lookup.OtherMethods(var allowed) ->
                    RouteResponse.problem(405, "method.unknown", Map.of("allowed", allowed))
                            .with("Allow", allowed);
            case RouteTable.Lookup.Nothing _ -> RouteResponse.problem(404, "path.unknown");
        };
    }

    private static RouteResponse errorResponse(Request request, RuntimeException defect) {
        return defect instanceof HttpException http && http.getCode() < 500
                ? RouteResponse.problem(http.getCode(), "http.unreadable")
                : internalError(request, defect);
    }

    private static RouteResponse unavailable(String code, Map<String, String> params) {
        return RouteResponse.problem(503, code, params).with("Retry-After", "1");
    }

    private static RouteResponse internalError(Request request, RuntimeException defect) {
        var incident = UUID.randomUUID().toString().substring(0, 8);
        log.error("incident={} {} failed", incident, method(request), defect);
        return RouteResponse.problem(500, "internal", Map.of("incident", incident));
    }

    private static Language language(Request request) {
        var accepted = request.getHeaders().get(HttpHeader.ACCEPT_LANGUAGE);
        return accepted == null ? Language.ENGLISH : Language.accepted(accepted, Language.ENGLISH);
    }

    /** A client may send any word of any length as method. */
    private static String method(Request request) {
        var method = request.getMethod();
        return method.matches("[A-Z]{1,10}") ? method : "OTHER";
    }

    /** Behind a proxy, the last address in X-Forwarded-For is the one that the proxy itself saw. */
    private String clientAddress(Request request) {
        if (!(request.getConnectionMetaData().getRemoteSocketAddress()
                instanceof InetSocketAddress client)) {
            return Auditor.SOCKET;
        }
        var direct = client.getAddress().getHostAddress();
        var forwarded = request.getHeaders().getLast(HttpHeader.X_FORWARDED_FOR);
        if (!isBehindProxy || forwarded == null) {
            return direct;
        }
        var last = forwarded.substring(forwarded.lastIndexOf(',') + 1).strip();
        return last.matches("[0-9A-Fa-f.:]{2,45}") ? last + "(by " + direct + ")" : direct;
    }
}
