package dev.berth.server.identity;

import dev.berth.server.http.Answer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What those are told who are not served: why, and what to do about it. Nothing that only this
 * machine's users may know, such as a path.
 */
final class Strangers {

    private static final Logger log = LoggerFactory.getLogger(Strangers.class);

    private Strangers() {}

    static Who notServed(String server, String caller) {
        log.warn("refused caller={}: not the server's user and not root", caller);
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

    static Who unknown() {
        return unauthorized(
                "caller.unknown",
                "Berth does not know who you are here. Open the link that `berth login` prints, or"
                    + " send a token (berth token create NAME) as Authorization: Bearer …; on this"
                    + " machine the berth command and curl --unix-socket ~/.berth/berth.sock"
                    + " http://localhost/api/… need neither, and --auth none serves your own"
                    + " programs on 127.0.0.1.");
    }

    /** The same whether it never was one, has expired or was revoked. */
    static Who badToken() {
        return unauthorized(
                "token.invalid",
                "This token is not known here, or has expired or been revoked. Make a new one:"
                        + " berth token create NAME");
    }

    private static Who unauthorized(String code, String detail) {
        return new Who.Stranger(
                Answer.problem(401, code, detail)
                        .with("WWW-Authenticate", "Bearer realm=\"berth\""));
    }

    static Who cookieAlone() {
        return new Who.Stranger(
                Answer.problem(
                        403,
                        "cookie.alone",
                        "A login cookie changes something only together with the Origin that a"
                                + " browser sends. Programs use a token: berth token create NAME"));
    }

    static Who unreadable() {
        return new Who.Stranger(
                Answer.problem(
                        403,
                        "caller.unreadable",
                        "Berth cannot find out which user this connection belongs to."));
    }
}
