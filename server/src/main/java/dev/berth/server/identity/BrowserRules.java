package dev.berth.server.identity;

import dev.berth.server.http.Answer;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps web pages from using a browser on this machine as their hand: no foreign host name (a name
 * that was made to point here), no foreign origin, no request that the browser itself says comes
 * from another site.
 */
public final class BrowserRules {

    private static final Set<String> OWN_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final Set<String> READING = Set.of("GET", "HEAD");

    private BrowserRules() {}

    public static Optional<Answer> refusal(Request request) {
        var headers = request.getHeaders();
        // No browser speaks to a Unix socket, and what its callers put there is any name.
        if (request.getConnectionMetaData().getLocalSocketAddress() instanceof InetSocketAddress
                && !OWN_NAMES.contains(name(host(headers)))) {
            return refused(
                    "host.foreign",
                    "Berth answers here as localhost, 127.0.0.1 or [::1], not as the Host given.");
        }
        var origin = headers.get(HttpHeader.ORIGIN);
        if (origin != null && !origin.toLowerCase(Locale.ROOT).equals("http://" + host(headers))) {
            return refused("origin.foreign", "Pages of another origin may not use Berth.");
        }
        var site = headers.get("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !isOpenedByHand(site, request)) {
            return refused("site.foreign", "Pages of another site may not use Berth.");
        }
        return Optional.empty();
    }

    /** A person who types an address or opens a bookmark; that never sends a form. */
    private static boolean isOpenedByHand(String site, Request request) {
        return site.equals("none") && READING.contains(request.getMethod());
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
