package dev.berth.server.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Token;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.identity.AuthMode;
import dev.berth.identity.Secret;
import dev.berth.server.HttpServer;
import dev.berth.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The life of tokens. */
class TokenRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private static String user() {
        return System.getProperty("user.name");
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    /** A token of a user who could not have requested it, or one issued long ago. */
    private String insertToken(Owner owner, Optional<Duration> life) throws Exception {
        var secret = Secret.token();
        var now = server.engine.now();
        var grant =
                new Token.Credential(
                        Token.Kind.TOKEN, "planted", secret.hash(), life.map(now::plus));
        var reply = server.engine.ask(new EngineCommand.CreateToken(now, owner, grant)).get();
        assertThat(reply).isInstanceOf(EngineReply.TokenKept.class);
        return secret.text();
    }

    @Test
    void tokenActsForItsCreator() {
        var made = server.socket().post("/api/tokens", "{\"name\":\" notebook \"}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.header("Location")).contains("/api/tokens/1");
        assertThat(made.json().get("name").asString()).isEqualTo("notebook");
        assertThat(made.json().get("expires_at").isNull()).isTrue();
        var token = made.json().get("token").asString();
        assertThat(token).matches("berth_[A-Za-z0-9_-]{43}");

        var me = server.tcp().get("/api/me", bearer(token)).json();
        assertThat(me.toString())
                .isEqualTo(
                        "{\"name\":\"%s\",\"principal\":\"unix:%s\",\"admin\":true,\"role\":\"admin\",\"via\":\"token\"}"
                                .formatted(user(), user()));
        var task =
                server.tcp()
                        .post(
                                "/api/tasks",
                                TestServer.cpuTask("by token"),
                                bearer(token),
                                "X-Berth-User: alice");
        assertThat(task.json().get("owner").asString()).isEqualTo(user());
    }

    @Test
    void tokensAreUnique() {
        assertThat(server.token()).isNotEqualTo(server.token());
    }

    @Test
    void listHidesTheSecret() {
        var token = server.token("{\"name\":\"a\",\"expires_days\":3}");
        var unused = server.socket().get("/api/tokens").json().get(0);
        assertThat(unused.get("last_used_at").isNull()).isTrue();
        server.tcp().get("/api/me", bearer(token));

        var list = server.socket().get("/api/tokens");

        assertThat(list.text()).doesNotContain(token, new Secret(token).hash());
        var row = list.json().get(0);
        assertThat(row.get("kind").asString()).isEqualTo("token");
        assertThat(row.get("owner").asString()).isEqualTo(user());
        assertThat(row.get("expires_at").asString())
                .isGreaterThan(row.get("created_at").asString());
        assertThat(row.get("last_used_at").asString()).isNotEmpty();
        assertThat(row.get("revoked_at").isNull()).isTrue();
        assertThat(row.has("token")).isFalse();
    }

    @Test
    void revokedTokenIsRejected() {
        var token = server.token();
        var revoked = server.socket().send("DELETE", "/api/tokens/1", List.of(), new byte[0]);
        assertThat(revoked.status()).isEqualTo(200);
        assertThat(revoked.json().get("revoked_at").asString()).isNotEmpty();
        var again = server.socket().send("DELETE", "/api/tokens/1", List.of(), new byte[0]);
        assertThat(again.json()).isEqualTo(revoked.json());

        var reply = server.tcp().get("/api/me", bearer(token));
        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.code()).isEqualTo("token.invalid");
        assertThat(server.socket().send("DELETE", "/api/tokens/9", List.of(), new byte[0]).code())
                .isEqualTo("token.unknown");
    }

    @Test
    void expiredTokenIsRejected() throws Exception {
        var good = insertToken(Owner.unix(user()), Optional.of(Duration.ofMinutes(1)));
        var old = insertToken(Owner.unix(user()), Optional.of(Duration.ofMillis(-1)));
        assertThat(server.tcp().get("/api/me", bearer(good)).status()).isEqualTo(200);
        assertThat(server.tcp().get("/api/me", bearer(old)).code()).isEqualTo("token.invalid");
    }

    /** As after the home was given to another user. */
    @Test
    void tokenOfAnUnservedUserIsRejected() throws Exception {
        var token = insertToken(Owner.unix("somebody-else"), Optional.empty());
        assertThat(server.tcp().get("/api/me", bearer(token)).code())
                .isEqualTo("caller.not_served");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Bearer",
                "Bearer ",
                "Bearer berth_",
                "Basic cm9vdDo=",
                "Bearer berth_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "berth_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            })
    void nonsenseOpensNothing(String said) {
        server.token();
        assertThat(server.tcp().get("/api/me", "Authorization: " + said).code())
                .isEqualTo("token.invalid");
    }

    @Test
    void twoTokensAreRejected() {
        var token = server.token();
        assertThat(server.tcp().get("/api/me", bearer(token), bearer(token)).status())
                .isEqualTo(401);
    }

    @Test
    void hashIsNotAToken() {
        var token = server.token();
        assertThat(server.tcp().get("/api/me", bearer(new Secret(token).hash())).status())
                .isEqualTo(401);
    }

    @Test
    void onlyTheHashIsStoredAndPublished() {
        var token = server.token("{\"name\":\"quiet\"}");
        assertThat(server.store.peek().tokens())
                .extracting(kept -> kept.credential().hash())
                .containsExactly(new Secret(token).hash());
        var events = server.socket().get("/api/events/log").text();
        assertThat(events)
                .contains("token.created", "quiet")
                .doesNotContain(token.substring(6), new Secret(token).hash());
        assertThat(server.audit.toString()).doesNotContain(token.substring(6));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}|name",
                "{\"name\":\"\"}|name",
                "{\"name\":\"a\\nb\"}|name",
                "{\"name\":7}|name",
                "{\"name\":\"a\",\"expires_days\":0}|expires_days",
                "{\"name\":\"a\",\"expires_days\":-1}|expires_days",
                "{\"name\":\"a\",\"expires_days\":99999}|expires_days",
                "{\"name\":\"a\",\"owner\":\"alice\"}|owner"
            })
    void badRequestsNameTheirField(String bad) {
        var parts = bad.split("\\|");
        var reply = server.socket().post("/api/tokens", parts[0]);
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo(parts[1]);
        assertThat(server.store.peek().tokens()).isEmpty();
    }

    @Test
    void tokensSurviveARestart() throws Exception {
        var token = server.token();
        server = server.restart();
        assertThat(server.tcp().get("/api/me", bearer(token)).status()).isEqualTo(200);
        assertThat(server.socket().post("/api/tokens", "{\"name\":\"b\"}").json().get("id").asInt())
                .isEqualTo(2);
    }

    @Test
    void tokenCannotCreateTokensOrLinks() {
        var token = server.token();
        for (var route : List.of("/api/tokens", "/api/login/links")) {
            var body = route.endsWith("tokens") ? "{\"name\":\"more\"}" : "";
            var reply = server.tcp().post(route, body, bearer(token));
            assertThat(reply.status()).as(route).isEqualTo(403);
            assertThat(reply.code()).isEqualTo("token.not_enough");
            var session =
                    server.tcp().post(route, body, server.cookie(), "Sec-Fetch-Site: same-origin");
            assertThat(session.status()).as(route).isEqualTo(201);
        }
        assertThat(server.socket().get("/api/tokens").text()).containsOnlyOnce("\"more\"");
    }

    @Test
    void numberOfTokensIsLimited() {
        for (int i = 0; i < 100; i++) {
            server.token();
        }
        var refused = server.socket().post("/api/tokens", "{\"name\":\"one more\"}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.code()).isEqualTo("token.too_many");
        server.socket().send("DELETE", "/api/tokens/7", List.of(), new byte[0]);
        server.token();
    }
}
