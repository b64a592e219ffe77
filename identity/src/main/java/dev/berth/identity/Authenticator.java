package dev.berth.identity;

import dev.berth.core.access.Token;
import dev.berth.core.access.Via;
import dev.berth.http.Caller;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntFunction;

/**
 * Finds out who sent a request. The kernel's answer for a connection is kept with the connection.
 * Whether the user is served, and in which role, is decided at every request, and so are tokens and
 * cookies: they may have been revoked since.
 */
public final class Authenticator {

    private static final Logger log = LoggerFactory.getLogger(Authenticator.class);
    private static final String BEARER = "bearer ";
    private static final String METRICS = "/metrics";

    private final AuthMode auth;
    private final Sessions sessions;
    private final ConnectionPeers peers;
    private final BrowserRules rules;
    private final Optional<TrustedProxy> proxy;
    private final AuthRejections rejections;

    /**
     * @param auth how callers on the port are authenticated
     * @param proxy whose user header is believed
     */
    public Authenticator(
            AuthMode auth,
            Sessions sessions,
            LoopbackClients clients,
            BrowserRules rules,
            Optional<TrustedProxy> proxy) {
        this.rejections = new AuthRejections(log);
        this.auth = auth;
        this.sessions = sessions;
        this.peers = new ConnectionPeers(clients, clients.lookups());
        this.rules = rules;
        this.proxy = proxy;
    }

    public AuthResult authenticate(Request request) {
        try {
            return isFromProxy(request)
                    ? throughProxy(request, proxy.orElseThrow())
                    : direct(request);
        } catch (IOException e) {
            return rejections.unknownUser("its user cannot be read: " + e.getMessage());
        }
    }

    private AuthResult direct(Request request) throws IOException {
        if (!BrowserRules.isTcp(request)) {
            return byKernel(request, Via.SOCKET, sessions.users()::withUid);
        }
        var authorization = request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION);
        if (!authorization.isEmpty()) {
            return byToken(authorization);
        }
        if (rules.allowedOrigin(request).isPresent()) {
            // A page of another origin must send a token: the cookie belongs to the console, and
            // the user behind the browser's socket need not have authored the page.
            return unknown(request);
        }
        var bySession = bySession(request);
        if (bySession.isPresent()) {
            return bySession.get();
        }
        return auth == AuthMode.NONE
                ? byKernel(request, Via.LOOPBACK, sessions.users()::onLoopback)
                : unknown(request);
    }

    /**
     * On the Unix socket the kernel names the peer. On the port it names only clients of this
     * machine, and the look-up is made only for requests that carry the header.
     */
    private boolean isFromProxy(Request request) throws IOException {
        if (proxy.isEmpty()) {
            return false;
        }
        var trusted = proxy.get();
        if (BrowserRules.isTcp(request) && !request.getHeaders().contains(trusted.header())) {
            return false;
        }
        var uid = peers.uidOf(request.getConnectionMetaData());
        return uid.equals(OptionalInt.of(trusted.uid()));
    }

    /**
     * The proxy itself is nobody here: a request in which it names no user must not become its own.
     * The browser's page authenticates at the proxy without the help of a script, as with a cookie,
     * so the same rules apply.
     */
    private AuthResult throughProxy(Request request, TrustedProxy trusted) {
        var wrongHost = rules.hostRejectionBehindProxy(request);
        if (wrongHost.isPresent()) {
            return new AuthResult.NotServed(wrongHost.get());
        }
        var authorization = request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION);
        if (authorization.size() == 1 && isBearer(authorization.getFirst())) {
            return byToken(authorization);
        }
        var names = request.getHeaders().getValuesList(trusted.header());
        if (rules.allowedOrigin(request).isPresent() || names.size() > 1) {
            return unknown(request);
        }
        if (names.isEmpty() || names.getFirst().isBlank()) {
            return bySession(request).orElseGet(() -> unknown(request));
        }
        return BrowserRules.mayUseCookie(request)
                ? served(
                        sessions.users().named(names.getFirst().strip()),
                        Via.PROXY,
                        Optional.empty())
                : rejections.cookieWithoutOrigin();
    }

    private AuthResult unknown(Request request) {
        return request.getHttpURI().getCanonicalPath().equals(METRICS)
                ? rejections.unauthenticatedScraper()
                : rejections.unauthenticated();
    }

    private static boolean isBearer(String word) {
        return word.regionMatches(true, 0, BEARER, 0, BEARER.length());
    }

    private AuthResult byToken(List<String> authorization) {
        var word = authorization.getFirst();
        if (authorization.size() > 1 || !isBearer(word)) {
            return rejections.invalidToken();
        }
        var secret = new Secret(word.substring(BEARER.length()).strip());
        return sessions.credentials()
                .find(secret, Token.Kind.TOKEN)
                .map(token -> ofToken(token, Via.TOKEN))
                .orElseGet(rejections::invalidToken);
    }

    /** Empty if there is no valid cookie: the caller may still be authenticated in another way. */
    private Optional<AuthResult> bySession(Request request) {
        var found =
                sessions.cookie().secretsIn(request).stream()
                        .flatMap(
                                secret ->
                                        sessions
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
        return served(sessions.users().of(token.owner()), via, Optional.of(token));
    }

    private AuthResult byKernel(Request request, Via via, IntFunction<UserAccess> users)
            throws IOException {
        var uid = peers.uidOf(request.getConnectionMetaData());
        return uid.isEmpty()
                ? rejections.unknownUser("the kernel does not name its user")
                : served(users.apply(uid.getAsInt()), via, Optional.empty());
    }

    private AuthResult served(UserAccess user, Via via, Optional<Token> token) {
        return switch (user) {
            case UserAccess.Served(var owner, int uid, var role) ->
                    new AuthResult.Authenticated(
                            new Caller(owner, uid, role, via, token.map(Token::id)));
            case UserAccess.Refused refused ->
                    rejections.notServed(refused, sessions.users().serverName());
            case UserAccess.Unreadable(var why) -> rejections.accountsUnreadable(why);
        };
    }
}
