package dev.berth.telemetry.audit;

import dev.berth.core.access.TokenId;
import dev.berth.core.task.Owner;

import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Writes an audit line for every request that may have changed something and for every rejected
 * caller. Lines about rejected callers are rate limited: they must not be able to fill the disk.
 */
public final class Auditor {

    /** The origin of requests that came through the Unix socket. */
    public static final String SOCKET = "socket";

    /** Refused requests of unknown callers that are recorded per second, in the long run. */
    public static final int REFUSALS_PER_SECOND = 10;

    /** Refused requests of unknown callers that are recorded in one burst. */
    public static final int REFUSALS_AT_ONCE = 100;

    private static final Set<String> READING = Set.of("GET", "HEAD");

    private final AuditLog audit;
    private final InstantSource clock;
    private final BooleanSupplier refusalLimit;
    private final AtomicLong suppressed = new AtomicLong();

    /**
     * @param refusalLimit true if one more refused request of an unknown caller may be recorded; a
     *     rate limit of {@link #REFUSALS_PER_SECOND} and {@link #REFUSALS_AT_ONCE}
     */
    public Auditor(AuditLog audit, InstantSource clock, BooleanSupplier refusalLimit) {
        this.audit = audit;
        this.clock = clock;
        this.refusalLimit = refusalLimit;
    }

    /**
     * An authenticated caller.
     *
     * @param via the way of authentication: socket, token, session or loopback
     */
    public record AuditIdentity(Owner owner, String via, Optional<TokenId> token) {}

    /**
     * A request and its outcome.
     *
     * @param route the pattern of its path, or a dash if no route matched
     * @param isLogin a login changes something although it is a GET
     */
    public record AuditedRequest(
            String method,
            String route,
            String remoteAddress,
            Optional<AuditIdentity> caller,
            int status,
            boolean isLogin) {

        private boolean isRecorded() {
            var isRejected = caller.isEmpty() && (status == 401 || status == 403);
            return isRejected || mayChange();
        }

        private boolean isTcp() {
            return !remoteAddress.equals(SOCKET);
        }

        private boolean mayChange() {
            return isLogin || !READING.contains(method);
        }

        private boolean isAnonymous() {
            return caller.isEmpty();
        }
    }

    public void log(AuditedRequest visit) {
        if (!visit.isRecorded()) {
            return;
        }
        if (visit.isAnonymous() && !refusalLimit.getAsBoolean()) {
            suppressed.incrementAndGet();
            return;
        }
        long suppressedCount = suppressed.getAndSet(0);
        if (suppressedCount > 0) {
            audit.write(
                    clock.instant()
                            + " "
                            + suppressedCount
                            + " more refusals were not written down");
        }
        audit.write(line(visit));
        if (visit.isTcp() && visit.mayChange()) {
            audit.writePortChange(shortLine(visit));
        }
    }

    private String shortLine(AuditedRequest visit) {
        return clock.instant()
                + " "
                + principal(visit)
                + " "
                + visit.method()
                + " "
                + visit.route()
                + " "
                + visit.status();
    }

    private static String principal(AuditedRequest visit) {
        return visit.caller().map(caller -> caller.owner().principal()).orElse("-");
    }

    private String line(AuditedRequest visit) {
        var via =
                visit.caller()
                        .map(caller -> caller.via() + caller.token().map(id -> "#" + id).orElse(""))
                        .orElse("-");
        return clock.instant()
                + " who="
                + principal(visit)
                + " via="
                + via
                + " from="
                + visit.remoteAddress()
                + " "
                + visit.method()
                + " "
                + visit.route()
                + " "
                + visit.status();
    }
}
