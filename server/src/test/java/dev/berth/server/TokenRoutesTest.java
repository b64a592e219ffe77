package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Token;
import dev.berth.core.task.Owner;
import dev.berth.engine.Command;
import dev.berth.engine.Reply;
import dev.berth.server.identity.Auth;
import dev.berth.server.identity.Secret;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Tokens from their making to their end. */
class TokenRoutesTest {

    private Premises premises;

    @BeforeEach
    void open() throws Exception {
        premises = Premises.open(Auth.TOKEN, Door.Patience.USUAL);
    }

    @AfterEach
    void close() throws Exception {
        premises.close();
    }

    private static String user() {
        return System.getProperty("user.name");
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    /** Given to somebody who could not have asked for it, or long ago. */
    private String planted(Owner owner, Optional<Duration> life) throws Exception {
        var secret = Secret.token();
        var now = premises.engine.now();
        var grant =
                new Token.Grant(Token.Kind.TOKEN, "planted", secret.hash(), life.map(now::plus));
        var reply = premises.engine.ask(new Command.CreateToken(now, owner, grant)).get();
        assertThat(reply).isInstanceOf(Reply.Kept.class);
        return secret.text();
    }

    @Test
    void aTokenActsForWhoeverMadeIt() {
        var made = premises.socket().post("/api/tokens", "{\"name\":\" notebook \"}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.header("Location")).contains("/api/tokens/1");
        assertThat(made.json().get("name").asString()).isEqualTo("notebook");
        assertThat(made.json().get("expires_at").isNull()).isTrue();
        var token = made.json().get("token").asString();
        assertThat(token).matches("berth_[A-Za-z0-9_-]{43}");

        var me = premises.tcp().get("/api/me", bearer(token)).json();
        assertThat(me.toString())
                .isEqualTo(
                        "{\"name\":\"%s\",\"principal\":\"unix:%s\",\"admin\":true,\"via\":\"token\"}"
                                .formatted(user(), user()));
        var task =
                premises.tcp()
                        .post(
                                "/api/tasks",
                                Premises.cpuTask("by token"),
                                bearer(token),
                                "X-Berth-User: alice");
        assertThat(task.json().get("owner").asString()).isEqualTo(user());
    }

    @Test
    void everyTokenIsAnother() {
        assertThat(premises.token()).isNotEqualTo(premises.token());
    }

    @Test
    void theListShowsAllButTheSecret() {
        var token = premises.token("{\"name\":\"a\",\"expires_days\":3}");
        var unused = premises.socket().get("/api/tokens").json().get(0);
        assertThat(unused.get("last_used_at").isNull()).isTrue();
        premises.tcp().get("/api/me", bearer(token));

        var list = premises.socket().get("/api/tokens");

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
    void aRevokedTokenOpensNothingAnyMore() {
        var token = premises.token();
        var revoked = premises.socket().send("DELETE", "/api/tokens/1", List.of(), new byte[0]);
        assertThat(revoked.status()).isEqualTo(200);
        assertThat(revoked.json().get("revoked_at").asString()).isNotEmpty();
        var again = premises.socket().send("DELETE", "/api/tokens/1", List.of(), new byte[0]);
        assertThat(again.json()).isEqualTo(revoked.json());

        var reply = premises.tcp().get("/api/me", bearer(token));
        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.code()).isEqualTo("token.invalid");
        assertThat(premises.socket().send("DELETE", "/api/tokens/9", List.of(), new byte[0]).code())
                .isEqualTo("token.unknown");
    }

    @Test
    void anExpiredTokenOpensNothing() throws Exception {
        var good = planted(Owner.unix(user()), Optional.of(Duration.ofMinutes(1)));
        var old = planted(Owner.unix(user()), Optional.of(Duration.ofMillis(-1)));
        assertThat(premises.tcp().get("/api/me", bearer(good)).status()).isEqualTo(200);
        assertThat(premises.tcp().get("/api/me", bearer(old)).code()).isEqualTo("token.invalid");
    }

    /** As after a home was given to another user. */
    @Test
    void aTokenOfSomebodyWhoIsNotServedOpensNothing() throws Exception {
        var token = planted(Owner.unix("somebody-else"), Optional.empty());
        assertThat(premises.tcp().get("/api/me", bearer(token)).code())
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
        premises.token();
        assertThat(premises.tcp().get("/api/me", "Authorization: " + said).code())
                .isEqualTo("token.invalid");
    }

    @Test
    void twoTokensAtOnceAreNone() {
        var token = premises.token();
        assertThat(premises.tcp().get("/api/me", bearer(token), bearer(token)).status())
                .isEqualTo(401);
    }

    @Test
    void theHashItselfIsNoToken() {
        var token = premises.token();
        assertThat(premises.tcp().get("/api/me", bearer(new Secret(token).hash())).status())
                .isEqualTo(401);
    }

    @Test
    void onlyItsHashIsKeptAndTold() {
        var token = premises.token("{\"name\":\"quiet\"}");
        assertThat(premises.store.peek().tokens())
                .extracting(kept -> kept.grant().hash())
                .containsExactly(new Secret(token).hash());
        var events = premises.socket().get("/api/events/log").text();
        assertThat(events)
                .contains("token.created", "quiet")
                .doesNotContain(token.substring(6), new Secret(token).hash());
        assertThat(premises.audit.toString()).doesNotContain(token.substring(6));
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
        var reply = premises.socket().post("/api/tokens", parts[0]);
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo(parts[1]);
        assertThat(premises.store.peek().tokens()).isEmpty();
    }

    @Test
    void tokensSurviveARestart() throws Exception {
        var token = premises.token();
        premises = premises.next();
        assertThat(premises.tcp().get("/api/me", bearer(token)).status()).isEqualTo(200);
        assertThat(
                        premises.socket()
                                .post("/api/tokens", "{\"name\":\"b\"}")
                                .json()
                                .get("id")
                                .asInt())
                .isEqualTo(2);
    }

    @Test
    void aTokenMakesNothingThatWouldOutliveIt() {
        var token = premises.token();
        for (var route : List.of("/api/tokens", "/api/login/links")) {
            var body = route.endsWith("tokens") ? "{\"name\":\"more\"}" : "";
            var reply = premises.tcp().post(route, body, bearer(token));
            assertThat(reply.status()).as(route).isEqualTo(403);
            assertThat(reply.code()).isEqualTo("token.not_enough");
            var session =
                    premises.tcp()
                            .post(route, body, premises.cookie(), "Sec-Fetch-Site: same-origin");
            assertThat(session.status()).as(route).isEqualTo(201);
        }
        assertThat(premises.socket().get("/api/tokens").text()).containsOnlyOnce("\"more\"");
    }

    @Test
    void thereAreOnlySoManyTokens() {
        for (int i = 0; i < 100; i++) {
            premises.token();
        }
        var refused = premises.socket().post("/api/tokens", "{\"name\":\"one more\"}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.code()).isEqualTo("token.too_many");
        premises.socket().send("DELETE", "/api/tokens/7", List.of(), new byte[0]);
        premises.token();
    }
}
