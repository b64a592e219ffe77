package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Token;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.engine.Command;
import dev.berth.server.http.Access;
import dev.berth.server.http.Route;
import dev.berth.server.identity.Auth;
import dev.berth.server.identity.Secret;

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
 * Everyone who does not belong, at every route there is and with every verb: nothing changes and
 * nothing is given away. The routes are read from the table, so a new one is tried by itself.
 */
class DoorMatrixTest {

    private static final List<String> VERBS =
            List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW");

    /** What no stranger may read, wherever it is. */
    private static final String MARK = "mark-of-the-inside";

    private static Premises premises;
    private static Talk talk;
    private static String good;
    private static String cookie;
    private static String revoked;
    private static String expired;

    @BeforeAll
    static void open() throws Exception {
        premises = Premises.open(Auth.TOKEN, Door.Patience.USUAL);
        premises.submit(Premises.cpuTask(MARK));
        good = "Authorization: Bearer " + premises.token("{\"name\":\"" + MARK + "\"}");
        revoked = "Authorization: Bearer " + premises.token();
        premises.socket().send("DELETE", "/api/tokens/2", List.of(), new byte[0]);
        expired = "Authorization: Bearer " + expired();
        cookie = premises.cookie();
        talk = new Talk(URI.create(premises.door.url()).getPort());
    }

    @AfterAll
    static void close() throws Exception {
        talk.close();
        premises.close();
    }

    private static String expired() throws Exception {
        var secret = Secret.token();
        var now = premises.engine.now();
        var grant =
                new Token.Grant(
                        Token.Kind.TOKEN,
                        "old",
                        secret.hash(),
                        Optional.of(now.minus(Duration.ofDays(1))));
        var owner = Owner.unix(System.getProperty("user.name"));
        premises.engine.ask(new Command.CreateToken(now, owner, grant)).get();
        return secret.text();
    }

    /** Those who do not belong, by what they send. */
    private static Map<String, List<String>> strangers() {
        var all = new LinkedHashMap<String, List<String>>();
        all.put("no identity", List.of());
        all.put("wrong token", List.of("Authorization: Bearer " + Secret.token().text()));
        all.put("revoked token", List.of(revoked));
        all.put("expired token", List.of(expired));
        all.put("forged names", List.of("X-Remote-User: root", "X-Berth-User: root"));
        all.put("wrong cookie", List.of(cookie.replaceFirst("=.*", "=AAAA"), sameSite()));
        return all;
    }

    /** Those who belong, but are somebody's tool. */
    private static Map<String, List<String>> tricked() {
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
        for (var route : premises.door.table().routes()) {
            targets.add(target(route));
        }
        targets.add("/nowhere");
        targets.add("/api/nothing");
        return targets.stream().distinct().toList();
    }

    private static String target(Route route) {
        return route.path().text().replaceAll("\\{[a-z]+\\*?}", "1");
    }

    private static boolean isOpen(String verb, String target) {
        return openRoutes()
                .anyMatch(
                        route ->
                                target(route).equals(target)
                                        && (verb.equals("HEAD") ? "GET" : verb)
                                                .equals(route.method().name()));
    }

    private static boolean isPage(String target) {
        return openRoutes()
                .anyMatch(route -> route.kind() == Route.Kind.PAGE && target(route).equals(target));
    }

    private static Stream<Route> openRoutes() {
        return premises.door.table().routes().stream()
                .filter(route -> route.access() == Access.ANYONE);
    }

    private static Http.Reply send(String verb, String target, List<String> headers) {
        var body =
                verb.equals("POST") && target.equals("/api/tasks")
                        ? Premises.cpuTask("forged")
                        : verb.equals("POST") && target.equals("/api/tokens")
                                ? "{\"name\":\"forged\"}"
                                : "";
        return talk.send(verb, target, headers, body.getBytes(StandardCharsets.UTF_8));
    }

    /** All that is kept; reading changes none of it. */
    private static Object kept() {
        // What was submitted before may still be on its way.
        eventually(
                "all that was to start has started",
                () ->
                        premises.engine
                                .state()
                                .attempts()
                                .values()
                                .allMatch(one -> one.phase() instanceof Phase.Running));
        var loaded = premises.store.peek();
        return List.of(loaded.tasks(), loaded.attempts(), loaded.tokens(), loaded.lastSeq());
    }

    @Test
    void strangersGetNothingAndChangeNothing() {
        var before = kept();
        int tried = 0;
        for (var stranger : strangers().entrySet()) {
            for (var target : targets()) {
                for (var verb : VERBS) {
                    var reply = send(verb, target, stranger.getValue());
                    var what = stranger.getKey() + ": " + verb + " " + target;
                    if (!isOpen(verb, target)) {
                        assertThat(reply.status()).as(what).isIn(400, 401, 403);
                    }
                    assertThat(reply.text()).as(what).doesNotContain(MARK);
                    assertThat(reply.header("Set-Cookie")).as(what).isEmpty();
                    tried++;
                }
            }
        }
        assertThat(kept()).isEqualTo(before);
        assertThat(tried).isGreaterThan(1000);
    }

    @Test
    void hostilePagesChangeNothingWithSomebodyElsesIdentity() {
        var before = kept();
        for (var trick : tricked().entrySet()) {
            for (var target : targets()) {
                for (var verb : VERBS) {
                    var reply = send(verb, target, trick.getValue());
                    var what = trick.getKey() + ": " + verb + " " + target;
                    if (!isPage(target)) {
                        assertThat(reply.status()).as(what).isIn(400, 403);
                    }
                    assertThat(reply.text()).as(what).doesNotContain(MARK);
                    assertThat(reply.headers().keySet())
                            .as(what)
                            .noneMatch(name -> name.startsWith("access-control"));
                }
            }
        }
        assertThat(kept()).isEqualTo(before);
    }

    @Test
    void aForeignHostGetsNothingWhoeverCarriesIt() {
        var before = kept();
        for (var target : targets()) {
            for (var verb : VERBS) {
                for (var identity : List.of(good, cookie)) {
                    var reply = send(verb, target, List.of("Host: evil.example", identity));
                    assertThat(reply.status()).as(verb + " " + target).isIn(400, 403);
                    assertThat(reply.text()).doesNotContain(MARK);
                }
            }
        }
        assertThat(kept()).isEqualTo(before);
    }

    @Test
    void aCookieWithoutOriginChangesNothingWithAnyVerbButGet() {
        var before = kept();
        for (var target : targets()) {
            for (var verb : VERBS) {
                if (verb.equals("GET") || verb.equals("HEAD") || isOpen(verb, target)) {
                    continue;
                }
                var reply = send(verb, target, List.of(cookie));
                assertThat(reply.status()).as(verb + " " + target).isIn(400, 403);
            }
        }
        assertThat(kept()).isEqualTo(before);
    }

    @Test
    void theSameCallsPassForThoseWhoBelong() {
        assertThat(send("GET", "/api/tasks", List.of(good)).text()).contains(MARK);
        assertThat(send("GET", "/api/tokens", List.of(cookie)).text()).contains(MARK);
        assertThat(send("POST", "/api/tasks", List.of(good)).status()).isEqualTo(201);
        assertThat(send("POST", "/api/tasks", List.of(cookie, sameSite())).status()).isEqualTo(201);
    }
}
