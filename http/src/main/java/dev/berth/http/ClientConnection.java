package dev.berth.http;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Where a request comes from.
 *
 * @param address of the peer; empty on the Unix socket
 * @param isEncrypted the server's own port uses TLS
 * @param forwardedProtocol the last {@code X-Forwarded-Proto}, which a proxy sets
 * @param forwardedAddress the last address in {@code X-Forwarded-For}, which the proxy itself saw
 */
public record ClientConnection(
        Optional<InetSocketAddress> address,
        boolean isEncrypted,
        Optional<String> forwardedProtocol,
        Optional<String> forwardedAddress) {

    static ClientConnection of(Request request) {
        var peer = request.getConnectionMetaData().getRemoteSocketAddress();
        return new ClientConnection(
                peer instanceof InetSocketAddress client ? Optional.of(client) : Optional.empty(),
                request.isSecure(),
                last(request, HttpHeader.X_FORWARDED_PROTO),
                last(request, HttpHeader.X_FORWARDED_FOR)
                        .filter(text -> text.matches("[0-9A-Fa-f.:]{2,45}")));
    }

    private static Optional<String> last(Request request, HttpHeader header) {
        return Optional.ofNullable(request.getHeaders().getLast(header))
                .map(text -> text.substring(text.lastIndexOf(',') + 1).strip());
    }

    /**
     * True if nobody on the network can read what the client sends.
     *
     * @param isBehindProxy a proxy with TLS is in front of the server: what it says about the
     *     client's connection counts, and its own connection does not
     */
    public boolean isConfidential(boolean isBehindProxy) {
        if (address.isEmpty() || isEncrypted) {
            return true;
        }
        return isBehindProxy
                ? forwardedProtocol.filter("https"::equalsIgnoreCase).isPresent()
                : isLoopback();
    }

    /** The client's address, for limits and logs. */
    public String client(boolean isBehindProxy) {
        return (isBehindProxy ? forwardedAddress : Optional.<String>empty())
                .or(() -> address.map(one -> one.getAddress().getHostAddress()))
                .orElse("local");
    }

    private boolean isLoopback() {
        return address.filter(one -> one.getAddress().isLoopbackAddress()).isPresent();
    }
}
