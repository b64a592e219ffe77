package dev.berth.server.identity;

import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.server.Request;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The cookie of a login. Browsers send cookies to every port of a host, so its name holds the port:
 * two servers on one machine must not overwrite each other's.
 *
 * @param isSecure to be sent over TLS only
 */
public record SessionCookie(Supplier<String> name, boolean isSecure) {

    public static final Duration LIFE = Duration.ofDays(30);

    /** A browser sends one; whoever sends many only wants us to look at them all. */
    private static final int MOST = 4;

    List<Secret> in(Request request) {
        var own = name.get();
        return Request.getCookies(request).stream()
                .filter(cookie -> cookie.getName().equals(own))
                .limit(MOST)
                .map(HttpCookie::getValue)
                .map(Secret::new)
                .toList();
    }

    /** The value of a {@code Set-Cookie} header. */
    public String setting(Secret secret) {
        return written(secret.text(), LIFE);
    }

    public String clearing() {
        return written("", Duration.ZERO);
    }

    private String written(String value, Duration life) {
        return name.get()
                + "="
                + value
                + "; Path=/; Max-Age="
                + life.toSeconds()
                + "; HttpOnly; SameSite=Strict"
                + (isSecure ? "; Secure" : "");
    }
}
