package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Owner;
import dev.berth.server.identity.Auth;
import dev.berth.server.identity.LoginCodes;
import dev.berth.server.limit.Limits;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A browser logs in by a link, and out. */
class LoginTest {

    private Premises premises;

    @BeforeEach
    void open() throws Exception {
        premises = Premises.open(Auth.TOKEN, Door.Patience.USUAL);
    }

    @AfterEach
    void close() throws Exception {
        premises.close();
    }

    private String link() {
        var reply = premises.socket().post("/api/login/links", "");
        assertThat(reply.status()).isEqualTo(201);
        var url = reply.json().get("url").asString();
        assertThat(url).startsWith(premises.door.url() + "/login/");
        return URI.create(url).getPath();
    }

    private int post(String... headers) {
        var body = Premises.cpuTask("by cookie").getBytes(StandardCharsets.UTF_8);
        return premises.tcp().send("POST", "/api/tasks", List.of(headers), body).status();
    }

    @Test
    void theLinkGivesACookieOnce() {
        var link = link();
        var first = premises.tcp().get(link, "Sec-Fetch-Site: cross-site");
        assertThat(first.status()).isEqualTo(303);
        assertThat(first.header("Location")).contains("/ui/");
        int port = URI.create(premises.door.url()).getPort();
        assertThat(first.header("Set-Cookie").orElseThrow())
                .matches(
                        "berth_session_"
                                + port
                                + "=[A-Za-z0-9_-]{43}; Path=/; Max-Age=2592000; HttpOnly;"
                                + " SameSite=Strict");

        var second = premises.tcp().get(link);
        assertThat(second.status()).isEqualTo(403);
        assertThat(second.header("Set-Cookie")).isEmpty();
        assertThat(second.text()).contains("berth login");
    }

    @Test
    void lookingAtALinkDoesNotUseItUp() {
        var link = link();
        var head = premises.tcp().send("HEAD", link, List.of(), new byte[0]);
        assertThat(head.header("Set-Cookie")).isEmpty();
        assertThat(premises.tcp().get(link).status()).isEqualTo(303);
    }

    @Test
    void theCookieIsItsOwnersAndNotAToken() {
        var cookie = premises.cookie();
        var me = premises.tcp().get("/api/me", cookie).json();
        assertThat(me.get("name").asString()).isEqualTo(System.getProperty("user.name"));
        assertThat(me.get("via").asString()).isEqualTo("session");
        var secret = cookie.replaceFirst(".*=", "");
        assertThat(premises.tcp().get("/api/me", "Authorization: Bearer " + secret).status())
                .isEqualTo(401);
        var token = premises.token();
        assertThat(premises.tcp().get("/api/me", cookie.replaceFirst("=.*", "=" + token)).status())
                .isEqualTo(401);
    }

    @Test
    void aCookieAloneChangesNothing() {
        var cookie = premises.cookie();
        var own = "Host: 127.0.0.1:1";
        assertThat(post(cookie)).isEqualTo(403);
        assertThat(post(cookie, "Sec-Fetch-Site: cross-site")).isEqualTo(403);
        assertThat(post(cookie, own, "Origin: http://evil.example")).isEqualTo(403);
        assertThat(premises.tasks()).isZero();
        assertThat(post(cookie, own, "Origin: http://127.0.0.1:1")).isEqualTo(201);
        assertThat(post(cookie, "Sec-Fetch-Site: same-origin")).isEqualTo(201);
    }

    @Test
    void logoutEndsTheSession() {
        var cookie = premises.cookie();
        var own = new String[] {cookie, "Sec-Fetch-Site: same-origin"};
        var reply = premises.tcp().post("/api/logout", "", own);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Set-Cookie").orElseThrow()).contains("Max-Age=0");
        assertThat(premises.tcp().get("/api/me", cookie).status()).isEqualTo(401);
        assertThat(premises.socket().post("/api/logout", "").code()).isEqualTo("session.none");
    }

    @Test
    void sessionsAreListedAndCanBeRevoked() {
        var cookie = premises.cookie();
        var row = premises.socket().get("/api/tokens").json().get(0);
        assertThat(row.get("kind").asString()).isEqualTo("session");
        var id = row.get("id").asLong();
        premises.socket().send("DELETE", "/api/tokens/" + id, List.of(), new byte[0]);
        assertThat(premises.tcp().get("/api/me", cookie).status()).isEqualTo(401);
    }

    @Test
    void sessionsSurviveARestartAndLinksDoNot() throws Exception {
        var cookie = premises.cookie();
        var link = link();
        premises = premises.next();
        assertThat(premises.tcp().get("/api/me", cookie).status()).isEqualTo(200);
        assertThat(premises.tcp().get(link).status()).isEqualTo(403);
    }

    @Test
    void aCodeIsGoodForTenMinutes() {
        var codes = new LoginCodes();
        var now = Instant.parse("2025-11-15T08:00:00Z");
        var ann = Owner.unix("ann");
        var early = codes.issue(ann, now);
        assertThat(codes.redeem(early, now.plus(LoginCodes.LIFE).minusMillis(1))).contains(ann);
        var late = codes.issue(ann, now);
        assertThat(codes.redeem(late, now.plus(LoginCodes.LIFE))).isEmpty();
    }

    @Test
    void linksThatNobodyOpensDoNotPileUp() {
        var codes = new LoginCodes();
        var now = Instant.EPOCH;
        var first = codes.issue(Owner.unix("ann"), now);
        for (int i = 0; i < 100; i++) {
            codes.issue(Owner.unix("ann"), now);
        }
        assertThat(codes.redeem(first, now)).isEmpty();
    }

    @Test
    void behindAProxyTheLinkIsPublicAndTheCookieSecure() throws Exception {
        premises.close();
        premises = Premises.open(LoginTest::behindProxy, Door.Patience.USUAL);
        var url = premises.socket().post("/api/login/links", "").json().get("url").asString();
        assertThat(url).startsWith("https://berth.example.org/login/");
        var host = "Host: berth.example.org";
        var reply = premises.tcp().get(URI.create(url).getPath(), host);
        assertThat(reply.header("Set-Cookie").orElseThrow()).endsWith("; Secure");
        var cookie = "Cookie: " + reply.header("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
        assertThat(post(cookie, host, "Origin: https://berth.example.org")).isEqualTo(201);
        assertThat(post(cookie, host, "Origin: http://berth.example.org")).isEqualTo(403);
        assertThat(post(cookie, "Host: 127.0.0.1", "Origin: https://berth.example.org"))
                .isEqualTo(403);
    }

    private static DoorSettings behindProxy(Path home) {
        return new DoorSettings(
                home,
                Path.of("/tmp"),
                "127.0.0.1",
                0,
                false,
                Auth.TOKEN,
                Optional.of(URI.create("https://berth.example.org/")),
                Set.of(),
                true,
                Limits.USUAL);
    }
}
