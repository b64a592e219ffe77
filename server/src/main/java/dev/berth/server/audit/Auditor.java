package dev.berth.server.audit;

import dev.berth.server.http.Caller;
import dev.berth.server.limit.Allowances;

import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes down every call that may have changed something, and everyone who was turned away. The
 * latter only so fast: a stranger must not be able to fill the disk.
 */
public final class Auditor {

    /** What those come from who come in by the Unix socket. */
    public static final String SOCKET = "socket";

    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final int REFUSALS_PER_SECOND = 10;
    private static final int REFUSALS_AT_ONCE = 100;

    private final Audit audit;
    private final InstantSource clock;
    private final Allowances refusals =
            new Allowances(REFUSALS_PER_SECOND, REFUSALS_AT_ONCE, System::nanoTime);
    private final AtomicLong unwritten = new AtomicLong();

    public Auditor(Audit audit, InstantSource clock) {
        this.audit = audit;
        this.clock = clock;
    }

    /**
     * One call and what came of it.
     *
     * @param route the pattern of its path, or a dash where it had none
     * @param isLogin it changes something though it is a GET
     */
    public record Visit(
            String method,
            String route,
            String from,
            Optional<Caller> caller,
            int status,
            boolean isLogin) {

        private boolean matters() {
            var isTurnedAway = caller.isEmpty() && (status == 401 || status == 403);
            return isTurnedAway || mayChange();
        }

        private boolean isAtPort() {
            return !from.equals(SOCKET);
        }

        private boolean mayChange() {
            return isLogin || !READING.contains(method);
        }

        /** Nobody knows who it was, and it came to nothing. */
        private boolean isStrangers() {
            return caller.isEmpty();
        }
    }

    public void note(Visit visit) {
        if (!visit.matters()) {
            return;
        }
        if (visit.isStrangers() && !refusals.take("")) {
            unwritten.incrementAndGet();
            return;
        }
        long missing = unwritten.getAndSet(0);
        if (missing > 0) {
            audit.write(clock.instant() + " " + missing + " more refusals were not written down");
        }
        audit.write(line(visit));
        if (visit.isAtPort() && visit.mayChange()) {
            audit.writeOfPort(shortLine(visit));
        }
    }

    private String shortLine(Visit visit) {
        return clock.instant()
                + " "
                + who(visit)
                + " "
                + visit.method()
                + " "
                + visit.route()
                + " "
                + visit.status();
    }

    private static String who(Visit visit) {
        return visit.caller().map(caller -> caller.owner().principal()).orElse("-");
    }

    private String line(Visit visit) {
        var via =
                visit.caller()
                        .map(
                                caller ->
                                        caller.via().word()
                                                + caller.token().map(id -> "#" + id).orElse(""))
                        .orElse("-");
        return clock.instant()
                + " who="
                + who(visit)
                + " via="
                + via
                + " from="
                + visit.from()
                + " "
                + visit.method()
                + " "
                + visit.route()
                + " "
                + visit.status();
    }
}
