package dev.berth.server;

import static dev.berth.server.SystemServer.ALICE;
import static dev.berth.server.SystemServer.BOB;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.identity.AuthMode;
import dev.berth.identity.RoleRules;
import dev.berth.port.PasswordCheck;
import dev.berth.port.PasswordCheck.Verdict;
import dev.berth.server.api.TaskAccess.View;
import dev.berth.testkit.FakeAccounts;
import dev.berth.testkit.http.TestHttpClient.Reply;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The kinds of access to a server for all users of a machine. */
class SystemAccessTest {

    private static final int NOBODY = 65_534;
    private static final String SITE = "Sec-Fetch-Site: same-origin";

    private final FakeAccounts machine = SystemServer.machine();
    private TestServer server;

    private void open(Optional<AccessSettings.ProxyHeader> proxy) throws Exception {
        server = SystemServer.open(View.BASIC, proxy, machine);
    }

    @AfterEach
    void close() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private static void requireRoot() {
        assumeTrue(
                System.getProperty("user.name").equals("root")
                        && Files.isExecutable(Path.of("/usr/bin/setpriv"))
                        && Files.isExecutable(Path.of("/usr/bin/curl")),
                "needs root, setpriv and curl");
    }

    /** What this user's curl gets from the socket. */
    private String curl(int uid, String path, String... headers) throws Exception {
        Files.setPosixFilePermissions(server.home, PosixFilePermissions.fromString("rwxr-xr-x"));
        var command =
                new ArrayList<>(
                        List.of(
                                "setpriv",
                                "--reuid=" + uid,
                                "--regid=" + uid,
                                "--clear-groups",
                                "curl",
                                "-s",
                                "--unix-socket",
                                server.door.socket().toString()));
        for (var header : headers) {
            command.addAll(List.of("-H", header));
        }
        command.add("http://localhost" + path);
        var process =
                new ProcessBuilder(command)
                        .directory(Path.of("/").toFile())
                        .redirectErrorStream(true)
                        .start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text;
    }

    @Test
    void socketIsOpenToAllUsers() throws Exception {
        open(Optional.empty());
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(server.door.socket())))
                .isEqualTo("rw-rw-rw-");
    }

    @Test
    void theKernelNamesCallersOfTheSocket() throws Exception {
        requireRoot();
        machine.with("somebody", NOBODY).with("123456", 4711);
        open(Optional.empty());
        assertThat(curl(NOBODY, "/api/me", "X-Remote-User: root"))
                .contains(
                        "\"principal\":\"unix:somebody\"",
                        "\"role\":\"user\"",
                        "\"via\":\"socket\"");
        assertThat(curl(4711, "/api/me")).contains("\"principal\":\"unix:123456\"");
        assertThat(curl(0, "/api/me")).contains("\"role\":\"admin\"");
        assertThat(curl(NOBODY, "/api/cleanup")).contains("caller.not_admin");
    }

    /** A user can be named like a uid that has no account. */
    @Test
    void uidWithoutAccountIsNotTheUserOfThatName() throws Exception {
        requireRoot();
        machine.with("123456", 4711);
        open(Optional.empty());
        assertThat(curl(123_456, "/api/me"))
                .contains("caller.no_account", "uid 123456")
                .doesNotContain("unix:");
    }

    @Test
    void headerOfATrustedProxyNamesTheUser() throws Exception {
        requireRoot();
        open(proxy());
        assertThat(curl(NOBODY, "/api/me", "X-Remote-User: alice"))
                .contains("\"principal\":\"unix:alice\"", "\"via\":\"proxy\"");
        assertThat(curl(NOBODY, "/api/me", "X-Remote-User: mallory")).contains("caller.no_account");
        // The proxy itself is nobody, and a page of another site has no way through it.
        machine.with("proxy", NOBODY);
        assertThat(curl(NOBODY, "/api/me")).contains("caller.unknown");
        assertThat(curl(NOBODY, "/api/me", "X-Remote-User: alice", "X-Remote-User: bob"))
                .contains("caller.unknown");
        assertThat(curl(NOBODY, "/api/me", "X-Remote-User: alice", "Origin: https://evil.example"))
                .contains("origin.foreign");
        assertThat(curl(NOBODY, "/api/me", "X-Remote-User: alice", "Host: evil.example"))
                .contains("host.foreign");
    }

    @Test
    void peopleAreListedWithTheirRoles() throws Exception {
        open(Optional.empty());
        for (var user : List.of(ALICE, SystemServer.DAVE)) {
            var body = TestServer.body(Map.of("name", "t", "command", "true", "devices", "cpu"));
            var token = SystemServer.token(server, user, "x");
            assertThat(server.tcp().post("/api/tasks", body, token).status()).isEqualTo(201);
        }
        var people = server.tcp().get("/api/people", SystemServer.token(server, BOB, "x")).json();
        assertThat(people.valueStream().map(one -> one.get("user") + " " + one.get("role")))
                .containsExactly("\"alice\" \"user\"", "\"dave\" \"admin\"");
    }

    private static Optional<AccessSettings.ProxyHeader> proxy() {
        return Optional.of(
                new AccessSettings.ProxyHeader("X-Remote-User", Integer.toString(NOBODY)));
    }

    @Test
    void headerFromAnyoneElseIsIgnored() throws Exception {
        open(proxy());
        var me = server.socket().get("/api/me", "X-Remote-User: alice").json();
        assertThat(me.get("name").asString()).isEqualTo("root");
        assertThat(server.tcp().get("/api/me", "X-Remote-User: alice").status()).isEqualTo(401);
        var token = SystemServer.token(server, BOB, "x");
        assertThat(
                        server.tcp()
                                .get("/api/me", token, "X-Remote-User: alice")
                                .json()
                                .get("name")
                                .asString())
                .isEqualTo(BOB);
    }

    @Test
    void tokenOfARemovedAccountIsRefused() throws Exception {
        open(Optional.empty());
        var token = SystemServer.token(server, "ghost", "x");
        var reply = server.tcp().get("/api/me", token);
        assertThat(reply.status()).isEqualTo(403);
        assertThat(reply.code()).isEqualTo("caller.no_account");
    }

    @Test
    void everyUserHasTokensAndLoginLinksOfTheirOwn() throws Exception {
        open(Optional.empty());
        var cookie = SystemServer.cookie(server, ALICE);
        var made = server.tcp().post("/api/tokens", "{\"name\":\"mine\"}", cookie, SITE);
        assertThat(made.status()).as(made.text()).isEqualTo(201);
        var token = "Authorization: Bearer " + made.json().get("token").asString();
        assertThat(server.tcp().get("/api/me", token).json().get("principal").asString())
                .isEqualTo("unix:alice");
        assertThat(server.tcp().post("/api/login/links", "", cookie, SITE).status()).isEqualTo(201);
    }

    @Test
    void authNoneIsRefused() {
        var system = new AccessSettings.SystemAccess(Path.of("/run/berth.sock"), RoleRules.DEFAULT);
        var access = new AccessSettings(Optional.of(system), Optional.empty(), false);
        var personal = HttpSettings.onLoopback(Path.of("/x"), 0, AuthMode.NONE);
        assertThatThrownBy(() -> personal.with(access))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("auth: none");
    }

    private Reply login(String user, String password, String... headers) {
        var body = TestServer.body(Map.of("user", user, "password", password));
        return server.tcp().post("/api/login", body, headers);
    }

    @Test
    void aCorrectPasswordBeginsASession() throws Exception {
        open(Optional.empty());
        var seen = new CopyOnWriteArrayList<PasswordCheck.Login>();
        server.passwords =
                login -> {
                    seen.add(login);
                    return login.password().equals("right")
                            ? new Verdict.Correct(login.user())
                            : new Verdict.Wrong();
                };
        assertThat(server.tcp().get("/api/health").json().get("password_login").asBoolean())
                .isTrue();
        var reply = login(ALICE, "right");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(reply.json().get("role").asString()).isEqualTo("user");
        var cookie = "Cookie: " + reply.header("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
        assertThat(server.tcp().get("/api/me", cookie).json().get("principal").asString())
                .isEqualTo("unix:alice");
        assertThat(seen.getFirst().address()).isEqualTo("127.0.0.1");
        assertThat(seen.toString()).doesNotContain("right");
        assertThat(server.audit.toString()).contains("POST /api/login 200").doesNotContain("right");
    }

    @Test
    void theAnswerIsTheSameWhateverIsWrong() throws Exception {
        open(Optional.empty());
        server.passwords =
                login ->
                        login.user().equals(ALICE)
                                ? new Verdict.Wrong()
                                : new Verdict.Correct(login.user());
        var wrong = login(ALICE, "wrong");
        assertThat(wrong.status()).isEqualTo(401);
        assertThat(wrong.code()).isEqualTo("login.wrong");
        // PAM knows this one, but this server does not serve it.
        assertThat(login("mallory", "right").text()).isEqualTo(wrong.text());
        assertThat(wrong.header("Set-Cookie")).isEmpty();
        var failures = server.socket().get("/api/audit?kind=user.login_failed").json();
        assertThat(failures.size()).isEqualTo(2);
        assertThat(failures.toString())
                .contains("\"owner\":\"alice\"", "127.0.0.1")
                .doesNotContain("mallory");
    }

    @Test
    void attemptsAreLimitedForEachUserAndAddress() throws Exception {
        open(Optional.empty());
        var checks = new CopyOnWriteArrayList<String>();
        server.passwords =
                login -> {
                    checks.add(login.user());
                    return new Verdict.Wrong();
                };
        for (int i = 0; i < 5; i++) {
            assertThat(login(ALICE, "x").status()).isEqualTo(401);
        }
        var limited = login(ALICE, "x");
        assertThat(limited.status()).isEqualTo(429);
        assertThat(limited.header("Retry-After")).isPresent();
        assertThat(login(BOB, "x").status()).isEqualTo(401);
        assertThat(checks).hasSize(6);
    }

    @Test
    void aPasswordThatCannotBeCheckedIsNotWrong() throws Exception {
        open(Optional.empty());
        server.passwords = _ -> new Verdict.Unavailable("x");
        assertThat(login(ALICE, "x").code()).isEqualTo("login.unavailable");
    }

    @Test
    void credentialsOfAnotherKindDoNotLogIn() throws Exception {
        open(Optional.empty());
        var token = SystemServer.token(server, ALICE, "x").replaceFirst(".* ", "");
        var cookie = "Cookie: " + server.door.sessionCookie().name() + "=" + token;
        assertThat(server.tcp().get("/api/me", cookie).status()).isEqualTo(401);
    }
}
