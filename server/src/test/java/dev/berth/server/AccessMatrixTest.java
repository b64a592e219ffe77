package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Token;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.engine.EngineCommand;
import dev.berth.http.AccessLevel;
import dev.berth.http.Route;
import dev.berth.identity.AuthMode;
import dev.berth.identity.Secret;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Every kind of unauthorized caller, on every route and with every method: nothing changes and
 * nothing leaks. The routes come from the route table, so new ones are covered automatically.
 */
class AccessMatrixTest {

    private static final List<String> VERBS =
            List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW");

    /** A string that no unauthorized caller may read anywhere. */
    private static final String SECRET_MARK = "mark-of-the-inside";

    private static TestServer server;
    private static KeepAliveConnection talk;
    private static String good;
    private static String cookie;
    private static String revoked;
    private static String expired;

    @BeforeAll
    static void open() throws Exception {
        server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT);
        server.submit(TestServer.cpuTask(SECRET_MARK));
        good = "Authorization: Bearer " + server.token("{\"name\":\"" + SECRET_MARK + "\"}");
        revoked = "Authorization: Bearer " + server.token();
        server.socket().send("DELETE", "/api/tokens/2", List.of(), new byte[0]);
        expired = "Authorization: Bearer " + expired();
        cookie = server.cookie();
        talk = new KeepAliveConnection(URI.create(server.door.url()).getPort());
    }

    @AfterAll
    static void close() throws Exception {
        talk.close();
        server.close();
    }

    private static String expired() throws Exception {
        var secret = Secret.token();
        var now = server.engine.now();
        var grant =
                new Token.Credential(
                        Token.Kind.TOKEN,
                        "old",
                        secret.hash(),
                        Optional.of(now.minus(Duration.ofDays(1))));
        var owner = Owner.unix(System.getProperty("user.name"));
        server.engine.ask(new EngineCommand.CreateToken(now, owner, grant)).get();
        return secret.text();
    }

    /** Unauthorized callers, by the headers they send. */
    private static Map<String, List<String>> unauthenticated() {
        var all = new LinkedHashMap<String, List<String>>();
        all.put("no identity", List.of());
        all.put("wrong token", List.of("Authorization: Bearer " + Secret.token().text()));
        all.put("revoked token", List.of(revoked));
        all.put("expired token", List.of(expired));
        all.put("forged names", List.of("X-Remote-User: root", "X-Berth-User: root"));
        all.put("wrong cookie", List.of(cookie.replaceFirst("=.*", "=AAAA"), sameSite()));
        return all;
    }

    /** Authorized browsers that a foreign page misuses. */
    private static Map<String, List<String>> misusedBrowsers() {
        var all = new LinkedHashMap<String, List<String>>();
        for (var identity : List.of(good, cookie)) {
            var what = identity.substring(0, 6);
            all.put(what + " hostile Origin", List.of(identity, "Origin: http://evil.example"));
            all.put(what + " null Origin", List.of(identity, "Origin: null"));
            all.put(what + " cross-site", List.of(identity, "Sec-Fetch-Site: cross-site"));
            all.put(what + " same-site", List.of(identity, "Sec-Fetch-Site: same-site"));
            all.put(
                    what + " two origins",
                    List.of(identity, "Origin: http://localhost", "Origin: http://evil.example"));
        }
        return all;
    }

    private static String sameSite() {
        return "Sec-Fetch-Site: same-origin";
    }

    private static List<String> targets() {
        var targets = new ArrayList<String>();
        for (var route : server.table().routes()) {
            targets.add(target(route));
        }
        targets.add("/nowhere");
        targets.add("/api/nothing");
        return targets.stream().distinct().toList();
    }

    private static String target(Route route) {
        return route.path().text().replaceAll("\\{[a-z]+\\*?}", "1");
    }

    private static boolean isOpen(String method, String target) {
        return openRoutes()
                .anyMatch(
                        route ->
                                target(route).equals(target)
                                        && (method.equals("HEAD") ? "GET" : method)
                                                .equals(route.method().name()));
    }

    private static boolean isPage(String target) {
        return openRoutes()
                .anyMatch(route -> route.kind() == Route.Kind.PAGE && target(route).equals(target));
    }

    private static Stream<Route> openRoutes() {
        return server.table().routes().stream()
                .filter(route -> route.access() == AccessLevel.ANYONE);
    }

    private static TestHttpClient.Reply send(String method, String target, List<String> headers) {
        var body =
                method.equals("POST") && target.equals("/api/tasks")
                        ? TestServer.cpuTask("forged")
                        : method.equals("POST") && target.equals("/api/tokens")
                                ? "{\"name\":\"forged\"}"
                                : "";
        return talk.send(method, target, headers, body.getBytes(StandardCharsets.UTF_8));
    }

    /** All stored data; reading changes none of it. */
    private static Object storedData() {
        // Earlier submissions may still be in progress.
        eventually(
                "all that was to start has started",
                () ->
                        server.engine
                                .state()
                                .attempts()
                                .values()
                                .allMatch(one -> one.phase() instanceof Phase.Running));
        var loaded = server.store.peek();
        return List.of(
                loaded.tasks(), loaded.attempts(), loaded.tokens(), loaded.last().eventSeq());
    }

    @Test
    void unauthenticatedCallersReadAndChangeNothing() {
        var before = storedData();
        int tried = 0;
        for (var stranger : unauthenticated().entrySet()) {
            for (var target : targets()) {
                for (var method : VERBS) {
                    var reply = send(method, target, stranger.getValue());
                    var what = stranger.getKey() + ": " + method + " " + target;
                    if (!isOpen(method, target)) {
                        assertThat(reply.status()).as(what).isIn(400, 401, 403);
                    }
                    assertThat(reply.text()).as(what).doesNotContain(SECRET_MARK);
                    assertThat(reply.header("Set-Cookie")).as(what).isEmpty();
                    tried++;
                }
            }
        }
        assertThat(storedData()).isEqualTo(before);
        assertThat(tried).isGreaterThan(1000);
    }

    @Test
    void hostilePagesChangeNothingWithAUsersIdentity() {
        var before = storedData();
        for (var trick : misusedBrowsers().entrySet()) {
            for (var target : targets()) {
                for (var method : VERBS) {
                    var reply = send(method, target, trick.getValue());
                    var what = trick.getKey() + ": " + method + " " + target;
                    if (!isPage(target)) {
                        assertThat(reply.status()).as(what).isIn(400, 403);
                    }
                    assertThat(reply.text()).as(what).doesNotContain(SECRET_MARK);
                    assertThat(reply.headers().keySet())
                            .as(what)
                            .noneMatch(name -> name.startsWith("access-control"));
                }
            }
        }
        assertThat(storedData()).isEqualTo(before);
    }

    @Test
    void foreignHostIsRejectedForEveryCaller() {
        var before = storedData();
        for (var target : targets()) {
            for (var method : VERBS) {
                for (var identity : List.of(good, cookie)) {
                    var reply = send(method, target, List.of("Host: evil.example", identity));
                    assertThat(reply.status()).as(method + " " + target).isIn(400, 403);
                    assertThat(reply.text()).doesNotContain(SECRET_MARK);
                }
            }
        }
        assertThat(storedData()).isEqualTo(before);
    }

    @Test
    void cookieWithoutOriginChangesNothing() {
        var before = storedData();
        for (var target : targets()) {
            for (var method : VERBS) {
                if (method.equals("GET") || method.equals("HEAD") || isOpen(method, target)) {
                    continue;
                }
                var reply = send(method, target, List.of(cookie));
                assertThat(reply.status()).as(method + " " + target).isIn(400, 403);
            }
        }
        assertThat(storedData()).isEqualTo(before);
    }

    @Test
    void sameRequestsSucceedForAuthenticatedCallers() {
        assertThat(send("GET", "/api/tasks", List.of(good)).text()).contains(SECRET_MARK);
        assertThat(send("GET", "/api/tokens", List.of(cookie)).text()).contains(SECRET_MARK);
        assertThat(send("POST", "/api/tasks", List.of(good)).status()).isEqualTo(201);
        assertThat(send("POST", "/api/tasks", List.of(cookie, sameSite())).status()).isEqualTo(201);
    }
}
