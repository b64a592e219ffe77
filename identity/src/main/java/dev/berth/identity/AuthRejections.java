package dev.berth.identity;

import dev.berth.http.RouteResponse;
import dev.berth.http.limit.RateLimit;

import org.slf4j.Logger;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Responses to callers who are not authenticated or not served: the reason and what to do. They
 * contain nothing that only this machine's users may know, such as a path.
 */
final class AuthRejections {

    private static final int WARNINGS_PER_SECOND = 10;
    private static final int WARNINGS_AT_ONCE = 100;

    private final Logger log;
    private final RateLimit warnings;
    private final AtomicLong suppressed = new AtomicLong();

    AuthRejections(Logger log, LongSupplier nanos) {
        this.log = log;
        this.warnings = new RateLimit(WARNINGS_PER_SECOND, WARNINGS_AT_ONCE, nanos);
    }

    /** Rate limited: a rejected caller must not be able to fill the disk. */
    private void warn(String caller, String why) {
        if (!warnings.tryAcquire("")) {
            suppressed.incrementAndGet();
            return;
        }
        long suppressedCount = suppressed.getAndSet(0);
        if (suppressedCount > 0) {
            log.warn("{} more refusals were not written down", suppressedCount);
        }
        log.warn("refused caller={}: {}", caller, why);
    }

    AuthResult notServed(String server, String caller) {
        warn(caller, "not the server's user and not root");
        return new AuthResult.NotServed(
                RouteResponse.problem(
                        403, "caller.not_served", Map.of("server", server, "caller", caller)));
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
        warn("?", why);
        return new AuthResult.NotServed(RouteResponse.problem(403, "caller.unreadable"));
    }
}
