package dev.berth.telemetry.audit;

import dev.berth.core.access.TokenId;
import dev.berth.core.task.Owner;
import dev.berth.files.LineSampler;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes an audit line for every request that may have changed something and for every rejected
 * caller. Of requests without effect only samples are written, with a count of the others: they
 * must not rotate the lines about changes away.
 */
public final class Auditor {

    /** The origin of requests that came through the Unix socket. */
    public static final String SOCKET = "socket";

    /** Refused requests of one kind that are written in a minute; the others are counted. */
    public static final int REFUSALS_PER_MINUTE = 5;

    private static final Set<String> READING = Set.of("GET", "HEAD");

    private final AuditLog audit;
    private final InstantSource clock;
    private final LineSampler refusals;

    public Auditor(AuditLog audit, InstantSource clock, LineSampler refusals) {
        this.audit = audit;
        this.clock = clock;
        this.refusals = refusals;
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

        private boolean isRefused() {
            return caller.isEmpty() || status >= 400;
        }

        /** For unknown callers the status alone: they choose the other values. */
        private String kind() {
            return caller.map(
                                    known ->
                                            "who="
                                                    + known.owner().principal()
                                                    + (route.equals("-")
                                                            ? " - "
                                                            : " " + method + " ")
                                                    + route
                                                    + " ")
                            .orElse("who=- ")
                    + status;
        }
    }

    public void log(AuditedRequest visit) {
        if (!visit.isRecorded()) {
            return;
        }
        write(refusals.takeFinished());
        if (visit.isRefused() && !refusals.admits(visit.kind(), REFUSALS_PER_MINUTE)) {
            return;
        }
        audit.write(line(visit));
        if (visit.isTcp() && visit.mayChange()) {
            audit.writePortChange(shortLine(visit));
        }
    }

    /** Writes how many refused requests were left out, for all minutes that are over. */
    public void writeFinishedCounts() {
        write(refusals.takeFinished());
    }

    /** The same for all minutes, as the last lines of the log. */
    public void writeAllCounts() {
        write(refusals.takeAll());
    }

    private void write(List<LineSampler.LeftOut> counts) {
        counts.forEach(
                count ->
                        audit.write(
                                clock.instant() + " " + count.kind() + " more=" + count.lines()));
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
