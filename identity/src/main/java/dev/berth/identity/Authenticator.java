package dev.berth.identity;

import dev.berth.core.access.Token;
import dev.berth.core.access.Via;
import dev.berth.core.task.Owner;
import dev.berth.http.Caller;

import jdk.net.ExtendedSocketOptions;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Optional;

/**
 * Finds out who sent a request. The kernel's answer for a connection is cached, because the two
 * ends of a connection do not change. Tokens and cookies are checked on every request, because they
 * may have been revoked since.
 */
public final class Authenticator {

    private static final Logger log = LoggerFactory.getLogger(Authenticator.class);
    private static final String ATTRIBUTE = Authenticator.class.getName();
    private static final String BEARER = "bearer ";
    private static final String METRICS = "/metrics";

    private final AuthMode auth;
    private final ServerUser server;
    private final LoopbackClients clients;
    private final Evidence evidence;
    private final AuthRejections rejections;

    /** What a request may carry to authenticate its caller. */
    public record Evidence(Credentials credentials, SessionCookie cookie, BrowserRules rules) {}

    public Authenticator(
            AuthMode auth, ServerUser server, LoopbackClients clients, Evidence evidence) {
        this.rejections = new AuthRejections(log);
        this.auth = auth;
        this.server = server;
        this.clients = clients;
        this.evidence = evidence;
    }

    public AuthResult authenticate(Request request) {
        if (!BrowserRules.isTcp(request)) {
            return byKernel(request);
        }
        var authorization = request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION);
        if (!authorization.isEmpty()) {
            return byToken(authorization);
        }
        if (evidence.rules().allowedOrigin(request).isPresent()) {
            // A page of another origin must send a token: the cookie belongs to the console, and
            // the user behind the browser's socket need not have authored the page.
            return unknown(request);
        }
        var bySession = bySession(request);
        if (bySession.isPresent()) {
            return bySession.get();
        }
        return auth == AuthMode.NONE ? byKernel(request) : unknown(request);
    }

    private AuthResult unknown(Request request) {
        return request.getHttpURI().getCanonicalPath().equals(METRICS)
                ? rejections.unauthenticatedScraper()
                : rejections.unauthenticated();
    }

    private AuthResult byToken(List<String> authorization) {
        var word = authorization.getFirst();
        if (authorization.size() > 1 || !word.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return rejections.invalidToken();
        }
        var secret = new Secret(word.substring(BEARER.length()).strip());
        return evidence.credentials()
                .find(secret, Token.Kind.TOKEN)
                .map(token -> ofToken(token, Via.TOKEN))
                .orElseGet(rejections::invalidToken);
    }

    /** Empty if there is no valid cookie: the caller may still be authenticated in another way. */
    private Optional<AuthResult> bySession(Request request) {
        var found =
                evidence.cookie().secretsIn(request).stream()
                        .flatMap(
                                secret ->
                                        evidence
                                                .credentials()
                                                .find(secret, Token.Kind.SESSION)
                                                .stream())
                        .findFirst();
        return found.map(
                token ->
                        BrowserRules.mayUseCookie(request)
                                ? ofToken(token, Via.SESSION)
                                : rejections.cookieWithoutOrigin());
    }

    private AuthResult ofToken(Token token, Via via) {
        if (!server.serves(token.owner())) {
            return rejections.notServed(server.name(), token.owner().name());
        }
        return served(token.owner(), via, Optional.of(token));
    }

    private AuthResult byKernel(Request request) {
        var connection = request.getConnectionMetaData();
        if (connection.getAttribute(ATTRIBUTE) instanceof AuthResult seen) {
            return seen;
        }
        var who = askKernel(connection);
        connection.setAttribute(ATTRIBUTE, who);
        return who;
    }

    private AuthResult askKernel(ConnectionMetaData connection) {
        try {
            return connection.getRemoteSocketAddress() instanceof InetSocketAddress client
                            && connection.getLocalSocketAddress() instanceof InetSocketAddress own
                    ? loopbackClient(client, own)
                    : socketPeer(connection);
        } catch (IOException e) {
            return rejections.unknownUser("its user cannot be read: " + e.getMessage());
        }
    }

    private AuthResult socketPeer(ConnectionMetaData connection) throws IOException {
        var channel = (SocketChannel) connection.getConnection().getEndPoint().getTransport();
        UserPrincipal user = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        if (server.serves(user)) {
            return served(Owner.unix(user.getName()), Via.SOCKET, Optional.empty());
        }
        return rejections.notServed(server.name(), user.getName());
    }

    private AuthResult loopbackClient(InetSocketAddress client, InetSocketAddress own)
            throws IOException {
        var uid = clients.uidOf(client, own);
        if (uid.isEmpty()) {
            return rejections.unknownUser("the kernel does not name its user");
        }
        return server.serves(uid.getAsInt())
                ? served(server.owner(), Via.LOOPBACK, Optional.empty())
                : rejections.notServed(server.name(), "uid " + uid.getAsInt());
    }

    /** There are no roles yet. Only the server's user and root are served, and both are admins. */
    private static AuthResult served(Owner owner, Via via, Optional<Token> token) {
        return new AuthResult.Authenticated(new Caller(owner, true, via, token.map(Token::id)));
    }
}
