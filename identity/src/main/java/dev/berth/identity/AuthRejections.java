package dev.berth.identity;

import dev.berth.http.RouteResponse;

import org.slf4j.Logger;

import java.util.Map;

/**
 * Responses to callers who are not authenticated or not served: the reason and what to do. They
 * contain nothing that only this machine's users may know, such as a path.
 */
final class AuthRejections {

    private final Logger log;

    AuthRejections(Logger log) {
        this.log = log;
    }

    AuthResult notServed(UserAccess.Refused refused, String server) {
        log.warn("refused caller={}: {}", refused.user(), refused.reason());
        var params = Map.of("server", server, "caller", refused.user());
        return new AuthResult.NotServed(
                switch (refused.reason()) {
                    case NOT_THE_SERVERS_USER ->
                            RouteResponse.problem(403, "caller.not_served", params);
                    case NO_ACCOUNT -> RouteResponse.problem(403, "caller.no_account", params);
                    case NO_ROLE -> RouteResponse.problem(403, "caller.no_role", params);
                });
    }

    AuthResult accountsUnreadable(String why) {
        log.warn("the accounts of this machine cannot be read: {}", why);
        return new AuthResult.NotServed(
                RouteResponse.problem(503, "caller.accounts_unreadable").with("Retry-After", "5"));
    }

    AuthResult unauthenticated() {
        return unauthorized("caller.unknown", Map.of());
    }

    /** A metrics scraper needs other advice than a person. */
    AuthResult unauthenticatedScraper() {
        return unauthorized("caller.unknown", Map.of("variant", "metrics"));
    }

    /** The same response for an unknown, an expired and a revoked token. */
    AuthResult invalidToken() {
        return unauthorized("token.invalid", Map.of());
    }

    private AuthResult unauthorized(String code, Map<String, String> params) {
        return new AuthResult.NotServed(
                RouteResponse.problem(401, code, params)
                        .with("WWW-Authenticate", "Bearer realm=\"berth\""));
    }

    AuthResult cookieWithoutOrigin() {
        return new AuthResult.NotServed(RouteResponse.problem(403, "cookie.alone"));
    }

    AuthResult unknownUser(String why) {
        log.warn("refused caller=?: {}", why);
        return new AuthResult.NotServed(RouteResponse.problem(403, "caller.unreadable"));
    }
}
