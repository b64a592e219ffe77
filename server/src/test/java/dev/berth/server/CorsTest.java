package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.identity.Auth;
import dev.berth.server.limit.Limits;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Pages elsewhere: one that was named, and all others. */
class CorsTest {

    private static final String NAMED = "Origin: http://localhost:1895";
    private static final String OTHER = "Origin: http://localhost:1896";

    private Premises premises;
    private String token;

    @BeforeEach
    void open() throws Exception {
        open(Auth.TOKEN);
    }

    private void open(Auth auth) throws Exception {
        premises = Premises.open(home -> settings(home, auth), Door.Patience.USUAL);
        token = "Authorization: Bearer " + premises.token();
    }

    @AfterEach
    void close() throws Exception {
        premises.close();
    }

    private static DoorSettings settings(Path home, Auth auth) {
        return new DoorSettings(
                home,
                Path.of("/tmp"),
                "127.0.0.1",
                0,
                false,
                auth,
                Optional.empty(),
                Set.of("http://localhost:1895"),
                false,
                Limits.USUAL);
    }

    private Http.Reply preflight(String origin) {
        return premises.tcp()
                .send(
                        "OPTIONS",
                        "/api/tasks",
                        List.of(
                                origin,
                                "Access-Control-Request-Method: POST",
                                "Sec-Fetch-Site: same-site"),
                        new byte[0]);
    }

    private Http.Reply submit(String... headers) {
        var body = Premises.cpuTask("from elsewhere").getBytes(StandardCharsets.UTF_8);
        return premises.tcp().send("POST", "/api/tasks", List.of(headers), body);
    }

    @Test
    void aNamedOriginPassesWithAToken() {
        var preflight = preflight(NAMED);
        assertThat(preflight.status()).isEqualTo(204);
        assertThat(preflight.header("Access-Control-Allow-Origin"))
                .contains("http://localhost:1895");
        assertThat(preflight.header("Access-Control-Allow-Methods").orElseThrow())
                .contains("POST", "DELETE");
        assertThat(preflight.header("Access-Control-Allow-Headers").orElseThrow())
                .contains("Authorization");
        assertThat(preflight.header("Access-Control-Allow-Credentials")).isEmpty();

        var reply = submit(NAMED, token, "Sec-Fetch-Site: same-site");
        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.header("Access-Control-Allow-Origin")).contains("http://localhost:1895");
        assertThat(reply.header("Vary")).contains("Origin");
    }

    @Test
    void aNamedOriginHasNoUseOfTheCookie() {
        assertThat(submit(NAMED, premises.cookie()).status()).isEqualTo(401);
        assertThat(premises.tasks()).isZero();
    }

    @Test
    void aNamedOriginBringsATokenAlsoWhereLoopbackCallersNeedNone() throws Exception {
        premises.close();
        open(Auth.NONE);
        assertThat(submit("Sec-Fetch-Site: same-origin").status()).isEqualTo(201);
        var reply = submit(NAMED, "Sec-Fetch-Site: same-site");
        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.code()).isEqualTo("caller.unknown");
        assertThat(premises.tasks()).isEqualTo(1);
        assertThat(submit(NAMED, token).status()).isEqualTo(201);
    }

    @Test
    void anyOtherOriginIsRefusedEvenWithoutPreflight() {
        var preflight = preflight(OTHER);
        assertThat(preflight.status()).isEqualTo(403);
        var reply = submit(OTHER, token);
        assertThat(reply.status()).isEqualTo(403);
        for (var one : List.of(preflight, reply)) {
            assertThat(one.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
        }
        assertThat(premises.tasks()).isZero();
    }
}
