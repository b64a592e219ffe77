package dev.berth.identity;

import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.server.Request;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * The cookie of a login. Browsers send cookies to every port of a host, so the cookie's name is
 * derived from the server's home: two servers on one machine must not overwrite each other's
 * cookies, and a server that comes back on another port must recognise its own.
 *
 * @param isSecure send over TLS only
 */
public record SessionCookie(String name, boolean isSecure) {

    /** Version 0.1.0 appended the port. Its cookies are accepted until they expire. */
    private static final String PREFIX = "berth_session_";

    private static final int ID_LENGTH = 16;

    public static final Duration LIFETIME = Duration.ofDays(30);

    /** Servers that a browser is logged in to. The limit bounds the work of many cookies. */
    private static final int MAX_COOKIES = 8;

    public static SessionCookie ofHome(Path home, boolean isSecure) {
        var path = home.toAbsolutePath().normalize().toString();
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            var hash = digest.digest((machine() + path).getBytes(StandardCharsets.UTF_8));
            return new SessionCookie(
                    PREFIX + HexFormat.of().formatHex(hash).substring(0, ID_LENGTH), isSecure);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Forwarded ports make servers of several machines look like one host. */
    private static String machine() {
        try {
            return Files.readString(Path.of("/etc/machine-id"));
        } catch (IOException _) {
            return "";
        }
    }

    /** The secrets of this server's own cookie come first. */
    List<Secret> secretsIn(Request request) {
        return Request.getCookies(request).stream()
                .filter(cookie -> cookie.getName().startsWith(PREFIX))
                .sorted(Comparator.comparing(cookie -> !cookie.getName().equals(name)))
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
        return name
                + "="
                + value
                + "; Path=/; Max-Age="
                + life.toSeconds()
                + "; HttpOnly; SameSite=Strict"
                + (isSecure ? "; Secure" : "");
    }
}
