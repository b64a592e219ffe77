package dev.berth.server.identity;

import dev.berth.server.http.Answer;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps web pages from using a browser as their hand: no foreign host name (a name that was made to
 * point here), no foreign origin, no request that the browser itself says comes from another site.
 *
 * @param publicUrl where people reach this server through a proxy
 * @param corsOrigins pages elsewhere that may use it all the same, with a token
 */
public record BrowserRules(Optional<URI> publicUrl, Set<String> corsOrigins) {

    private static final Set<String> OWN_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final String SITE = "Sec-Fetch-Site";

    /** Holds for every route, event streams and pages too. */
    public Optional<Answer> wrongHost(Request request) {
        // No browser speaks to a Unix socket, and what its callers put there is any name.
        if (!isTcp(request)) {
            return Optional.empty();
        }
        var name = name(host(request.getHeaders()));
        return OWN_NAMES.contains(name) || isPublic(name)
                ? Optional.empty()
                : refused(
                        "host.foreign",
                        "Berth answers here as localhost, 127.0.0.1, [::1] or its public_url, not"
                                + " as the Host given.");
    }

    /** Holds for every route but pages. */
    public Optional<Answer> wrongOrigin(Request request) {
        var headers = request.getHeaders();
        if (isDoubled(headers, HttpHeader.ORIGIN.asString()) || isDoubled(headers, SITE)) {
            return refused("origin.foreign", "A page has one origin.");
        }
        if (namedOrigin(request).isPresent()) {
            return Optional.empty();
        }
        var origin = headers.get(HttpHeader.ORIGIN);
        if (origin != null && !isOwn(origin.toLowerCase(Locale.ROOT), headers)) {
            return refused("origin.foreign", "Pages of another origin may not use Berth.");
        }
        var site = headers.get(SITE);
        if (site != null && !site.equals("same-origin") && !isOpenedByHand(site, request)) {
            return refused("site.foreign", "Pages of another site may not use Berth.");
        }
        return Optional.empty();
    }

    /** The origin of a page elsewhere that was named as allowed. */
    public Optional<String> namedOrigin(Request request) {
        return Optional.ofNullable(request.getHeaders().get(HttpHeader.ORIGIN))
                .filter(corsOrigins::contains);
    }

    /**
     * A browser sends a cookie along whoever asks it to, so beside one the browser must also have
     * said where the request comes from.
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
                || (OWN_NAMES.contains(name(host)) && origin.equals("http://" + host));
    }

    /** Scheme, name and, where it is not the usual one, port, as a browser writes them. */
    static String origin(URI url) {
        return (url.getScheme() + "://" + url.getRawAuthority()).toLowerCase(Locale.ROOT);
    }

    private boolean isPublic(String name) {
        return publicUrl
                .map(url -> name(url.getRawAuthority().toLowerCase(Locale.ROOT)))
                .filter(name::equals)
                .isPresent();
    }

    /** A person who types an address or opens a bookmark; that never sends a form. */
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

    private static Optional<Answer> refused(String code, String detail) {
        return Optional.of(Answer.problem(403, code, detail));
    }
}
