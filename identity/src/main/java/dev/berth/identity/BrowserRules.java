package dev.berth.identity;

import dev.berth.http.RouteResponse;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Protects against web pages that use a visitor's browser to call Berth: rejects foreign host names
 * (DNS rebinding), foreign origins, and requests that the browser marks as cross-site.
 *
 * @param publicUrl the URL that users see
 * @param corsOrigins origins whose pages may call the API with a token
 * @param scheme of the port: {@code http}, or {@code https} if the server has a certificate
 * @param certifiedHosts the names and addresses in the certificate, at this time: a page of another
 *     name would not get past the browser's check of the certificate
 */
public record BrowserRules(
        Optional<URI> publicUrl,
        Set<String> corsOrigins,
        String scheme,
        Supplier<List<String>> certifiedHosts) {

    private static final Set<String> OWN_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final String SITE = "Sec-Fetch-Site";

    /** Without a certificate. */
    public BrowserRules(Optional<URI> publicUrl, Set<String> corsOrigins) {
        this(publicUrl, corsOrigins, "http", List::of);
    }

    /** Whether this host in a URL is always the machine of the browser itself. */
    public static boolean isLoopbackName(String host) {
        return OWN_NAMES.contains(host);
    }

    /** Checked on every route, including event streams and pages. */
    public Optional<RouteResponse> hostRejection(Request request) {
        // Browsers cannot connect to a Unix socket, and its clients may send any Host.
        if (!isTcp(request)) {
            return Optional.empty();
        }
        return hostRejectionBehindProxy(request);
    }

    /** A proxy forwards requests of browsers, also to a Unix socket. */
    Optional<RouteResponse> hostRejectionBehindProxy(Request request) {
        var name = name(host(request.getHeaders()));
        return isOwnName(name) || isPublic(name) ? Optional.empty() : refused("host.foreign");
    }

    /** Checked on every route except pages. */
    public Optional<RouteResponse> originRejection(Request request) {
        var headers = request.getHeaders();
        if (isDoubled(headers, HttpHeader.ORIGIN.asString()) || isDoubled(headers, SITE)) {
            return refused("origin.foreign");
        }
        if (allowedOrigin(request).isPresent()) {
            return Optional.empty();
        }
        var origin = headers.get(HttpHeader.ORIGIN);
        if (origin != null && !isOwn(origin.toLowerCase(Locale.ROOT), headers)) {
            return refused("origin.foreign");
        }
        var site = headers.get(SITE);
        if (site != null && !site.equals("same-origin") && !isOpenedByHand(site, request)) {
            return refused("site.foreign");
        }
        return Optional.empty();
    }

    /** The request's origin, if it is one of the allowed CORS origins. */
    public Optional<String> allowedOrigin(Request request) {
        return Optional.ofNullable(request.getHeaders().get(HttpHeader.ORIGIN))
                .filter(corsOrigins::contains);
    }

    /**
     * A browser adds cookies to requests of any page. A request that changes something must
     * therefore also carry a header that states its origin.
     */
    public static boolean mayUseCookie(Request request) {
        return READING.contains(request.getMethod())
                || request.getHeaders().contains(HttpHeader.ORIGIN)
                || request.getHeaders().contains(SITE);
    }

    static boolean isTcp(Request request) {
        return request.getConnectionMetaData().getLocalSocketAddress() instanceof InetSocketAddress;
    }

    private boolean isOwn(String origin, HttpFields headers) {
        var host = host(headers);
        return (isPublic(name(host))
                        && publicUrl.map(BrowserRules::origin).orElse("").equals(origin))
                || (isOwnName(name(host)) && origin.equals(scheme + "://" + host));
    }

    /** Scheme, host and any non-default port, as a browser sends them. */
    static String origin(URI url) {
        return (url.getScheme() + "://" + url.getRawAuthority()).toLowerCase(Locale.ROOT);
    }

    private boolean isOwnName(String name) {
        return OWN_NAMES.contains(name)
                || certifiedHosts.get().stream().anyMatch(host -> isCovered(name, host));
    }

    /** A certificate for {@code *.lab.example} covers one more label. */
    private static boolean isCovered(String name, String certified) {
        return certified.startsWith("*.")
                ? name.indexOf('.') > 0
                        && name.substring(name.indexOf('.')).equals(certified.substring(1))
                : name.equals(certified);
    }

    private boolean isPublic(String name) {
        return publicUrl
                .map(url -> name(url.getRawAuthority().toLowerCase(Locale.ROOT)))
                .filter(name::equals)
                .isPresent();
    }

    /** The user typed the address or opened a bookmark. Such a request never submits a form. */
    private static boolean isOpenedByHand(String site, Request request) {
        return site.equals("none") && READING.contains(request.getMethod());
    }

    private static boolean isDoubled(HttpFields headers, String name) {
        return headers.getValuesList(name).size() > 1;
    }

    private static String host(HttpFields headers) {
        var host = headers.get(HttpHeader.HOST);
        return host == null ? "" : host.toLowerCase(Locale.ROOT);
    }

    private static String name(String host) {
        return host.replaceFirst(":[0-9]*$", "");
    }

    private static Optional<RouteResponse> refused(String code) {
        return Optional.of(RouteResponse.problem(403, code));
    }
}
