package dev.berth.server.identity;

import dev.berth.server.http.Answer;
import dev.berth.server.limit.Allowances;

import org.slf4j.Logger;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What those are told who are not served: why, and what to do about it. Nothing that only this
 * machine's users may know, such as a path.
 */
final class Strangers {

    private static final int WARNINGS_PER_SECOND = 10;
    private static final int WARNINGS_AT_ONCE = 100;

    private final Logger log;
    private final Allowances warnings;
    private final AtomicLong unwritten = new AtomicLong();

    Strangers(Logger log, LongSupplier nanos) {
        this.log = log;
        this.warnings = new Allowances(WARNINGS_PER_SECOND, WARNINGS_AT_ONCE, nanos);
    }

    /** Only so fast: a stranger must not be able to fill the disk. */
    private void warn(String caller, String why) {
        if (!warnings.take("")) {
            unwritten.incrementAndGet();
            return;
        }
        long missing = unwritten.getAndSet(0);
        if (missing > 0) {
            log.warn("{} more refusals were not written down", missing);
        }
        log.warn("refused caller={}: {}", caller, why);
    }

    Who notServed(String server, String caller) {
        warn(caller, "not the server's user and not root");
        return new Who.Stranger(
                Answer.problem(
                        403,
                        "caller.not_served",
                        "This Berth runs as "
                                + server
                                + ", and so would every task: it serves that user and root only,"
                                + " and you are "
                                + caller
                                + ". Start your own with: berth serve"));
    }

    Who unknown() {
        return unauthorized(
                "caller.unknown",
                "Berth does not know who you are here. Open the link that `berth login` prints, or"
                    + " send a token (berth token create NAME) as Authorization: Bearer …; on this"
                    + " machine the berth command and curl --unix-socket ~/.berth/berth.sock"
                    + " http://localhost/api/… need neither, and --auth none serves your own"
                    + " programs on 127.0.0.1.");
    }

    /** A program that asks again and again, and will be told once. */
    Who unknownScraper() {
        return unauthorized(
                "caller.unknown",
                "Metrics need a token: make one with `berth token create prometheus` and give it to"
                        + " Prometheus as authorization: credentials_file, or to curl as -H"
                        + " 'Authorization: Bearer …'. With metrics_open: true in Berth's"
                        + " configuration they need none.");
    }

    /** The same whether it never was one, has expired or was revoked. */
    Who badToken() {
        return unauthorized(
                "token.invalid",
                "This token is not known here, or has expired or been revoked. Make a new one:"
                        + " berth token create NAME");
    }

    private Who unauthorized(String code, String detail) {
        return new Who.Stranger(
                Answer.problem(401, code, detail)
                        .with("WWW-Authenticate", "Bearer realm=\"berth\""));
    }

    Who cookieAlone() {
        return new Who.Stranger(
                Answer.problem(
                        403,
                        "cookie.alone",
                        "A login cookie changes something only together with the Origin that a"
                                + " browser sends. Programs use a token: berth token create NAME"));
    }

    Who unreadable(String why) {
        warn("?", why);
        return new Who.Stranger(
                Answer.problem(
                        403,
                        "caller.unreadable",
                        "Berth cannot find out which user this connection belongs to."));
    }
}
