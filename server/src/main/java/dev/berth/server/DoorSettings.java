package dev.berth.server;

import dev.berth.server.identity.Auth;
import dev.berth.server.limit.Limits;

import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where the door is and who may come in. Whoever fills it in wrongly is told by an {@link
 * IllegalArgumentException} whose message begins with the setting's name.
 *
 * @param home holds the socket
 * @param shortRoot a directory with a short name, for the socket of a home whose own path is too
 *     long for one
 * @param host where it listens; other than loopback only behind a proxy that brings TLS
 * @param port 0 takes any that is free
 * @param autoPort where the port is taken, take the next one that is free
 * @param publicUrl where people reach it, as a browser shows it
 * @param corsOrigins pages elsewhere that may use it with a token
 * @param behindProxy a proxy with TLS stands before it: everybody must show a token or a login
 */
public record DoorSettings(
        Path home,
        Path shortRoot,
        String host,
        int port,
        boolean autoPort,
        Auth auth,
        Optional<URI> publicUrl,
        Set<String> corsOrigins,
        boolean behindProxy,
        Limits limits) {

    public static final String LOOPBACK = "127.0.0.1";
    private static final Set<String> LOOPBACKS = Set.of(LOOPBACK, "localhost", "::1", "[::1]");

    public DoorSettings {
        corsOrigins = java.util.Collections.unmodifiableSet(new TreeSet<>(corsOrigins));
        if (port < 0 || port > 65_535) {
            throw wrong("port", "is 0 to 65535, not " + port);
        }
        if (!LOOPBACKS.contains(host) && !behindProxy) {
            throw wrong(
                    "host",
                    host
                            + " can be reached from other machines, and Berth has no TLS of its own"
                            + " yet: tokens would travel in the clear. Listen on 127.0.0.1 and use"
                            + " ssh -L, or put a proxy with TLS before it and set behind_proxy and"
                            + " public_url");
        }
        if (behindProxy && auth == Auth.NONE) {
            throw wrong(
                    "auth",
                    "none does not go with behind_proxy: every caller would look like the proxy");
        }
        if (behindProxy && publicUrl.isEmpty()) {
            throw wrong("public_url", "is needed with behind_proxy: it is the Host that is served");
        }
        publicUrl.ifPresent(DoorSettings::check);
        corsOrigins.forEach(DoorSettings::checkOrigin);
    }

    /** On loopback, with everything else as usual. */
    public static DoorSettings local(Path home, int port, Auth auth) {
        return new DoorSettings(
                home,
                Path.of("/tmp"),
                LOOPBACK,
                port,
                false,
                auth,
                Optional.empty(),
                Set.of(),
                false,
                Limits.USUAL);
    }

    /** Whether what is sent to its public address is encrypted on the way. */
    boolean isSecure() {
        return publicUrl.filter(url -> url.getScheme().equalsIgnoreCase("https")).isPresent();
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

    /** Exactly as a browser writes it, because that is what it is compared with. */
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
