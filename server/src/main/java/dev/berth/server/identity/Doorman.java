package dev.berth.server.identity;

import dev.berth.core.access.Token;
import dev.berth.core.task.Owner;
import dev.berth.server.http.Caller;

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
 * Says who calls. What the kernel says of a connection is asked once: its two ends do not change.
 * What a caller shows is looked at with every request: it may have been revoked meanwhile.
 */
public final class Doorman {

    private static final Logger log = LoggerFactory.getLogger(Doorman.class);
    private static final String SEEN = Doorman.class.getName();
    private static final String BEARER = "bearer ";
    private static final String METRICS = "/metrics";

    private final Auth auth;
    private final ServerUser server;
    private final LoopbackClients clients;
    private final Shown shown;
    private final Strangers strangers = new Strangers(log, System::nanoTime);

    /** What callers may show. */
    public record Shown(Credentials credentials, SessionCookie cookie, BrowserRules rules) {}

    public Doorman(Auth auth, ServerUser server, LoopbackClients clients, Shown shown) {
        this.auth = auth;
        this.server = server;
        this.clients = clients;
        this.shown = shown;
    }

    public Who who(Request request) {
        if (!BrowserRules.isTcp(request)) {
            return byKernel(request);
        }
        var said = request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION);
        if (!said.isEmpty()) {
            return bearer(said);
        }
        if (shown.rules().namedOrigin(request).isPresent()) {
            // A page elsewhere must bring a token: the cookie is the console's own, and what the
            // kernel says of the browser says nothing of the page.
            return unknown(request);
        }
        var session = session(request);
        if (session.isPresent()) {
            return session.get();
        }
        return auth == Auth.NONE ? byKernel(request) : unknown(request);
    }

    private Who unknown(Request request) {
        return request.getHttpURI().getCanonicalPath().equals(METRICS)
                ? strangers.unknownScraper()
                : strangers.unknown();
    }

    private Who bearer(List<String> said) {
        var word = said.getFirst();
        if (said.size() > 1 || !word.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return strangers.badToken();
        }
        var secret = new Secret(word.substring(BEARER.length()).strip());
        return shown.credentials()
                .find(secret, Token.Kind.TOKEN)
                .map(token -> holding(token, Caller.Via.TOKEN))
                .orElseGet(strangers::badToken);
    }

    /** Nothing where there is no good cookie: the caller may yet be known in another way. */
    private Optional<Who> session(Request request) {
        var found =
                shown.cookie().in(request).stream()
                        .flatMap(
                                secret ->
                                        shown
                                                .credentials()
                                                .find(secret, Token.Kind.SESSION)
                                                .stream())
                        .findFirst();
        return found.map(
                token ->
                        BrowserRules.mayUseCookie(request)
                                ? holding(token, Caller.Via.SESSION)
                                : strangers.cookieAlone());
    }

    private Who holding(Token token, Caller.Via via) {
        if (!server.serves(token.owner())) {
            return strangers.notServed(server.name(), token.owner().name());
        }
        return served(token.owner(), via, Optional.of(token));
    }

    private Who byKernel(Request request) {
        var connection = request.getConnectionMetaData();
        if (connection.getAttribute(SEEN) instanceof Who seen) {
            return seen;
        }
        var who = look(connection);
        connection.setAttribute(SEEN, who);
        return who;
    }

    private Who look(ConnectionMetaData connection) {
        try {
            return connection.getRemoteSocketAddress() instanceof InetSocketAddress client
                            && connection.getLocalSocketAddress() instanceof InetSocketAddress own
                    ? loopback(client, own)
                    : peer(connection);
        } catch (IOException e) {
            return strangers.unreadable("its user cannot be read: " + e.getMessage());
        }
    }

    private Who peer(ConnectionMetaData connection) throws IOException {
        var channel = (SocketChannel) connection.getConnection().getEndPoint().getTransport();
        UserPrincipal user = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        if (server.serves(user)) {
            return served(Owner.unix(user.getName()), Caller.Via.SOCKET, Optional.empty());
        }
        return strangers.notServed(server.name(), user.getName());
    }

    private Who loopback(InetSocketAddress client, InetSocketAddress own) throws IOException {
        var uid = clients.uidOf(client, own);
        if (uid.isEmpty()) {
            return strangers.unreadable("the kernel does not name its user");
        }
        return server.serves(uid.getAsInt())
                ? served(server.owner(), Caller.Via.LOOPBACK, Optional.empty())
                : strangers.notServed(server.name(), "uid " + uid.getAsInt());
    }

    /** Until there are roles, whoever is served is the server's own user or root: an admin. */
    private static Who served(Owner owner, Caller.Via via, Optional<Token> token) {
        return new Who.Served(new Caller(owner, true, via, token.map(Token::id)));
    }
}
