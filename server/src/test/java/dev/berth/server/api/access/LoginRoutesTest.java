package dev.berth.server.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Owner;
import dev.berth.http.limit.UserLimits;
import dev.berth.identity.AuthMode;
import dev.berth.identity.LoginCodes;
import dev.berth.server.HttpServer;
import dev.berth.server.HttpSettings;
import dev.berth.server.TestServer;

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

/** A browser logs in with a link, and out. */
class LoginRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private String link() {
        var reply = server.socket().post("/api/login/links", "");
        assertThat(reply.status()).isEqualTo(201);
        var url = reply.json().get("url").asString();
        assertThat(url).startsWith(server.door.url() + "/login/");
        return URI.create(url).getPath();
    }

    private int post(String... headers) {
        var body = TestServer.cpuTask("by cookie").getBytes(StandardCharsets.UTF_8);
        return server.tcp().send("POST", "/api/tasks", List.of(headers), body).status();
    }

    @Test
    void linkGivesACookieOnce() {
        var link = link();
        var first = server.tcp().get(link, "Sec-Fetch-Site: cross-site");
        assertThat(first.status()).isEqualTo(303);
        assertThat(first.header("Location")).contains("/ui/");
        assertThat(first.header("Set-Cookie").orElseThrow())
                .matches(
                        "berth_session_[0-9a-f]{16}=[A-Za-z0-9_-]{43}; Path=/; Max-Age=2592000;"
                                + " HttpOnly; SameSite=Strict");

        var second = server.tcp().get(link);
        assertThat(second.status()).isEqualTo(403);
        assertThat(second.header("Set-Cookie")).isEmpty();
        assertThat(second.text()).contains("berth login");
    }

    @Test
    void cookieNamedAfterAPortIsStillAccepted() {
        var secret = server.cookie().replaceFirst(".*=", "");
        var cookies = "Cookie: berth_session_0123456789abcdef=other; berth_session_29214=" + secret;
        assertThat(server.tcp().get("/api/me", cookies).json().get("via").asString())
                .isEqualTo("session");
        assertThat(server.tcp().get("/api/me", "Cookie: other_29214=" + secret).status())
                .isEqualTo(401);
    }

    @Test
    void headRequestDoesNotUseUpALink() {
        var link = link();
        var head = server.tcp().send("HEAD", link, List.of(), new byte[0]);
        assertThat(head.header("Set-Cookie")).isEmpty();
        assertThat(server.tcp().get(link).status()).isEqualTo(303);
    }

    @Test
    void cookieAuthenticatesItsOwnerAndIsNoToken() {
        var cookie = server.cookie();
        var me = server.tcp().get("/api/me", cookie).json();
        assertThat(me.get("name").asString()).isEqualTo(System.getProperty("user.name"));
        assertThat(me.get("via").asString()).isEqualTo("session");
        var secret = cookie.replaceFirst(".*=", "");
        assertThat(server.tcp().get("/api/me", "Authorization: Bearer " + secret).status())
                .isEqualTo(401);
        var token = server.token();
        assertThat(server.tcp().get("/api/me", cookie.replaceFirst("=.*", "=" + token)).status())
                .isEqualTo(401);
    }

    @Test
    void cookieWithoutOriginChangesNothing() {
        var cookie = server.cookie();
        var own = "Host: 127.0.0.1:1";
        assertThat(post(cookie)).isEqualTo(403);
        assertThat(post(cookie, "Sec-Fetch-Site: cross-site")).isEqualTo(403);
        assertThat(post(cookie, own, "Origin: http://evil.example")).isEqualTo(403);
        assertThat(server.tasks()).isZero();
        assertThat(post(cookie, own, "Origin: http://127.0.0.1:1")).isEqualTo(201);
        assertThat(post(cookie, "Sec-Fetch-Site: same-origin")).isEqualTo(201);
    }

    @Test
    void logoutEndsTheSession() {
        var cookie = server.cookie();
        var own = new String[] {cookie, "Sec-Fetch-Site: same-origin"};
        var reply = server.tcp().post("/api/logout", "", own);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Set-Cookie").orElseThrow()).contains("Max-Age=0");
        assertThat(server.tcp().get("/api/me", cookie).status()).isEqualTo(401);
        assertThat(server.socket().post("/api/logout", "").code()).isEqualTo("session.none");
    }

    @Test
    void sessionsAreListedAndCanBeRevoked() {
        var cookie = server.cookie();
        var row = server.socket().get("/api/tokens").json().get(0);
        assertThat(row.get("kind").asString()).isEqualTo("session");
        var id = row.get("id").asLong();
        server.socket().send("DELETE", "/api/tokens/" + id, List.of(), new byte[0]);
        assertThat(server.tcp().get("/api/me", cookie).status()).isEqualTo(401);
    }

    @Test
    void sessionsSurviveARestartAndLinksDoNot() throws Exception {
        var cookie = server.cookie();
        var link = link();
        server = server.restart();
        assertThat(server.tcp().get("/api/me", cookie).status()).isEqualTo(200);
        assertThat(server.tcp().get(link).status()).isEqualTo(403);
    }

    @Test
    void codeIsValidForTenMinutes() {
        var codes = new LoginCodes();
        var now = Instant.parse("2025-11-15T08:00:00Z");
        var ann = Owner.unix("ann");
        var early = codes.issue(ann, now);
        assertThat(codes.redeem(early, now.plus(LoginCodes.LIFETIME).minusMillis(1))).contains(ann);
        var late = codes.issue(ann, now);
        assertThat(codes.redeem(late, now.plus(LoginCodes.LIFETIME))).isEmpty();
    }

    @Test
    void unusedLinksAreBounded() {
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
        server.close();
        server = TestServer.open(LoginRoutesTest::behindProxy, HttpServer.Timeouts.DEFAULT);
        var url = server.socket().post("/api/login/links", "").json().get("url").asString();
        assertThat(url).startsWith("https://berth.example.org/login/");
        var host = "Host: berth.example.org";
        var reply = server.tcp().get(URI.create(url).getPath(), host);
        assertThat(reply.header("Set-Cookie").orElseThrow()).endsWith("; Secure");
        var cookie = "Cookie: " + reply.header("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
        assertThat(post(cookie, host, "Origin: https://berth.example.org")).isEqualTo(201);
        assertThat(post(cookie, host, "Origin: http://berth.example.org")).isEqualTo(403);
        assertThat(post(cookie, "Host: 127.0.0.1", "Origin: https://berth.example.org"))
                .isEqualTo(403);
    }

    private static HttpSettings behindProxy(Path home) {
        return new HttpSettings(
                home,
                Path.of("/tmp"),
                "127.0.0.1",
                0,
                false,
                AuthMode.TOKEN,
                Optional.of(URI.create("https://berth.example.org/")),
                Set.of(),
                Optional.empty(),
                true,
                UserLimits.DEFAULT);
    }
}
