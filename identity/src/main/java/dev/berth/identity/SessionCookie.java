package dev.berth.identity;

import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.server.Request;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The cookie of a login. Browsers send cookies to every port of a host, so the cookie's name
 * contains the port: two servers on one machine must not overwrite each other's cookies.
 *
 * @param isSecure send over TLS only
 */
public record SessionCookie(Supplier<String> name, boolean isSecure) {

    public static final Duration LIFETIME = Duration.ofDays(30);

    /** A browser sends one. The limit bounds the work that a client with many cookies can cause. */
    private static final int MAX_COOKIES = 4;

    List<Secret> secretsIn(Request request) {
        var cookieName = name.get();
        return Request.getCookies(request).stream()
                .filter(cookie -> cookie.getName().equals(cookieName))
                .limit(MAX_COOKIES)
                .map(HttpCookie::getValue)
                .map(Secret::new)
                .toList();
    }

    /** The value of a {@code Set-Cookie} header. */
    public String setHeader(Secret secret) {
        return format(secret.text(), LIFETIME);
    }

    public String clearHeader() {
        return format("", Duration.ZERO);
    }

    private String format(String value, Duration life) {
        return name.get()
                + "="
                + value
                + "; Path=/; Max-Age="
                + life.toSeconds()
                + "; HttpOnly; SameSite=Strict"
                + (isSecure ? "; Secure" : "");
    }
}
