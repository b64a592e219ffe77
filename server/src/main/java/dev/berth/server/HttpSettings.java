package dev.berth.server;

import dev.berth.http.limit.UserLimits;
import dev.berth.identity.AuthMode;
import dev.berth.server.tls.TlsFiles;

import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where the server listens and which callers it accepts. An invalid value throws an {@link
 * IllegalArgumentException} whose message starts with the name of the setting.
 *
 * @param home directory of the Unix socket
 * @param shortRoot a directory with a short path; the socket is created below it if the home's path
 *     is too long for a socket
 * @param host address to listen on; only with TLS, its own or that of a proxy, may it be other than
 *     loopback
 * @param port 0 selects any free port
 * @param takesNextFreePort if the port is in use, take the next free one
 * @param publicUrl the server's URL as a browser shows it
 * @param corsOrigins origins of other sites whose pages may call the API with a token
 * @param tls if present, the port serves HTTPS only
 * @param isBehindProxy a TLS proxy is in front of the server: every caller needs a token or a login
 * @param access whom the server serves, and how users may log in
 */
public record HttpSettings(
        Path home,
        Path shortRoot,
        String host,
        int port,
        boolean takesNextFreePort,
        AuthMode auth,
        Optional<URI> publicUrl,
        Set<String> corsOrigins,
        Optional<TlsFiles> tls,
        boolean isBehindProxy,
        UserLimits limits,
        AccessSettings access) {

    public static final String LOOPBACK_ADDRESS = "127.0.0.1";
    private static final Set<String> LOOPBACKS =
            Set.of(LOOPBACK_ADDRESS, "localhost", "::1", "[::1]");

    public HttpSettings {
        corsOrigins = java.util.Collections.unmodifiableSet(new TreeSet<>(corsOrigins));
        if (port < 0 || port > 65_535) {
            throw wrong("port", "is 0 to 65535, not " + port);
        }
        if (!LOOPBACKS.contains(host) && !isBehindProxy && tls.isEmpty()) {
            throw wrong(
                    "host",
                    host
                            + " can be reached from other machines, and without TLS tokens would be"
                            + " sent unencrypted. Create a certificate with berth tls create and"
                            + " set tls_cert and tls_key; or listen on 127.0.0.1 and use ssh -L; or"
                            + " put a proxy with TLS before it and set behind_proxy and"
                            + " public_url");
        }
        if (!LOOPBACKS.contains(host) && auth == AuthMode.NONE) {
            throw wrong("auth", "none serves programs on this machine only, so host is 127.0.0.1");
        }
        if (isBehindProxy && auth == AuthMode.NONE) {
            throw wrong(
                    "auth",
                    "none does not go with behind_proxy: every caller would look like the proxy");
        }
        if (isBehindProxy && publicUrl.isEmpty()) {
            throw wrong("public_url", "is needed with behind_proxy: it is the Host that is served");
        }
        if (access.isSystem() && auth == AuthMode.NONE) {
            throw wrong(
                    "auth",
                    "none is for a personal server. The server of a machine knows its users by the"
                            + " socket, a token or a login: remove it");
        }
        publicUrl.ifPresent(HttpSettings::check);
        corsOrigins.forEach(HttpSettings::checkOrigin);
    }

    /** For a personal server. */
    public HttpSettings(
            Path home,
            Path shortRoot,
            String host,
            int port,
            boolean takesNextFreePort,
            AuthMode auth,
            Optional<URI> publicUrl,
            Set<String> corsOrigins,
            Optional<TlsFiles> tls,
            boolean isBehindProxy,
            UserLimits limits) {
        this(
                home,
                shortRoot,
                host,
                port,
                takesNextFreePort,
                auth,
                publicUrl,
                corsOrigins,
                tls,
                isBehindProxy,
                limits,
                AccessSettings.PERSONAL);
    }

    /** Listens on loopback, with defaults for the rest. */
    public static HttpSettings onLoopback(Path home, int port, AuthMode auth) {
        return new HttpSettings(
                home,
                Path.of("/tmp"),
                LOOPBACK_ADDRESS,
                port,
                false,
                auth,
                Optional.empty(),
                Set.of(),
                Optional.empty(),
                false,
                UserLimits.DEFAULT);
    }

    /** The same listener for other users. */
    public HttpSettings with(AccessSettings users) {
        return new HttpSettings(
                home,
                shortRoot,
                host,
                port,
                takesNextFreePort,
                auth,
                publicUrl,
                corsOrigins,
                tls,
                isBehindProxy,
                limits,
                users);
    }

    boolean isLoopback() {
        return LOOPBACKS.contains(host);
    }

    /** True if browsers reach the server by TLS only. */
    boolean isSecure() {
        return tls.isPresent()
                || publicUrl.filter(url -> url.getScheme().equalsIgnoreCase("https")).isPresent();
    }

    private static void check(URI url) {
        var scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
        var path = url.getRawPath() == null ? "" : url.getRawPath();
        if (!Set.of("http", "https").contains(scheme)
                || url.getHost() == null
                || url.getRawUserInfo() != null
                || url.getRawQuery() != null
                || !Set.of("", "/").contains(path)) {
            throw wrong("public_url", "is like https://berth.example.org, not " + url);
        }
    }

    /** In exactly the form that browsers send, because origins are compared as text. */
    private static void checkOrigin(String origin) {
        if (!origin.matches("https?://(\\[[0-9a-f:]+]|[a-z0-9.-]+)(:[0-9]{1,5})?")) {
            throw wrong(
                    "cors_origins",
                    "has origins like http://localhost:1895, in lower case and without a path; not "
                            + origin);
        }
    }

    private static IllegalArgumentException wrong(String key, String why) {
        return new IllegalArgumentException(key + ": " + why);
    }
}
