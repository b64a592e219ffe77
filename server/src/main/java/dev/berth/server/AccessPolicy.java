package dev.berth.server;

import dev.berth.core.access.Role;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.Route;
import dev.berth.http.RouteResponse;
import dev.berth.http.RouteTable;
import dev.berth.http.limit.RateLimit;
import dev.berth.identity.AuthResult;
import dev.berth.identity.Authenticator;
import dev.berth.identity.BrowserRules;

import org.eclipse.jetty.server.Request;

import java.util.Map;
import java.util.Optional;

/**
 * Decides whether a request is allowed: by its host and origin, its caller, the caller's rate limit
 * and the caller's role.
 */
record AccessPolicy(BrowserRules browserRules, Authenticator authenticator, RateLimit rateLimit) {

    private static final String ALLOWED_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
    private static final String ALLOWED_HEADERS =
            "Authorization, Content-Type, Idempotency-Key, Last-Event-ID";
    private static final String EXPOSED_HEADERS =
            "Link, Location, Retry-After, X-Berth-Version, X-Total-Count";

    sealed interface Decision {
        /**
         * @param caller empty on a route that needs no authentication
         */
        record Allowed(Optional<Caller> caller) implements Decision {}

        /** Rejected, or answered here without reaching a route (CORS preflight). */
        record Denied(Optional<Caller> caller, RouteResponse answer) implements Decision {}
    }

    Decision check(Request request, RouteTable.Lookup found) {
        var wrongHost = browserRules.hostRejection(request);
        if (wrongHost.isPresent()) {
            return rejected(wrongHost.get());
        }
        if (isPreflight(request)) {
            return rejected(preflight());
        }
        var route =
                found instanceof RouteTable.Lookup.Match(var one, _)
                        ? Optional.of(one)
                        : Optional.<Route>empty();
        var isPage = route.stream().anyMatch(one -> one.kind() == Route.Kind.PAGE);
        var wrongOrigin =
                isPage ? Optional.<RouteResponse>empty() : browserRules.originRejection(request);
        if (wrongOrigin.isPresent()) {
            return rejected(wrongOrigin.get());
        }
        if (route.stream().anyMatch(one -> one.access() == AccessLevel.ANYONE)) {
            return new Decision.Allowed(Optional.empty());
        }
        return switch (authenticator.authenticate(request)) {
            case AuthResult.Authenticated(var caller) -> check(caller, route);
            case AuthResult.NotServed(var answer) -> rejected(answer);
        };
    }

    /** The caller, if authenticated, on a route that needs no authentication. */
    Optional<Caller> callerOf(Request request) {
        return authenticator.authenticate(request) instanceof AuthResult.Authenticated(var caller)
                ? Optional.of(caller)
                : Optional.empty();
    }

    private Decision check(Caller caller, Optional<Route> route) {
        var known = Optional.of(caller);
        if (!rateLimit.tryAcquire(caller.owner().principal())) {
            return new Decision.Denied(
                    known, RouteResponse.tooManyRequests("requests.too_many", Map.of(), 1));
        }
        if (!route.stream().allMatch(one -> one.allows(caller))) {
            return new Decision.Denied(known, missingRole(caller));
        }
        return new Decision.Allowed(known);
    }

    private static RouteResponse missingRole(Caller caller) {
        return caller.role() == Role.VIEWER
                ? RouteResponse.problem(403, "caller.is_viewer")
                : RouteResponse.problem(403, "caller.not_admin");
    }

    private static Decision rejected(RouteResponse answer) {
        return new Decision.Denied(Optional.empty(), answer);
    }

    private boolean isPreflight(Request request) {
        return request.getMethod().equals("OPTIONS")
                && request.getHeaders().contains("Access-Control-Request-Method")
                && browserRules.allowedOrigin(request).isPresent();
    }

    /**
     * A browser sends a preflight before a page of another origin may send a token. The preflight
     * itself carries no token.
     */
    private static RouteResponse preflight() {
        return RouteResponse.empty(204)
                .with("Access-Control-Allow-Methods", ALLOWED_METHODS)
                .with("Access-Control-Allow-Headers", ALLOWED_HEADERS)
                .with("Access-Control-Max-Age", "600");
    }

    /**
     * Adds the CORS headers that let a page of an allowed origin read the response. Cookies are
     * never allowed: the page must send its own token.
     */
    RouteResponse withCorsHeaders(Request request, RouteResponse answer) {
        var origin = browserRules.allowedOrigin(request);
        if (origin.isEmpty()) {
            return answer;
        }
        var vary = answer.headers().get("Vary");
        return answer.with("Access-Control-Allow-Origin", origin.get())
                .with("Access-Control-Expose-Headers", EXPOSED_HEADERS)
                .with("Vary", vary == null ? "Origin" : vary + ", Origin");
    }
}
