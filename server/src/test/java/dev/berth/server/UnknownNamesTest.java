package dev.berth.server;

import static dev.berth.server.SystemServer.DAVE;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.api.TaskAccess.View;
import dev.berth.testkit.FakeAccounts;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Rules and reservations for users and groups that the machine does not have. */
class UnknownNamesTest {

    private final FakeAccounts machine = SystemServer.machine().with("john.doe", 1007, "vision");
    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = SystemServer.open(View.BASIC, Optional.empty(), machine);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limits.users.alise.max_gpus   | user.unknown",
                "limits.users.jon.doe.max_gpus | user.unknown",
                "users.alise.weight            | user.unknown",
                "groups.vison.weight           | group.unknown",
                "limits.groups.alice.max_gpus  | group.unknown"
            })
    void aRuleIsRefusedByItsKey(String key, String code) throws Exception {
        var refused = put("{\"%s\":2}".formatted(key));
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("code").asString()).isEqualTo(code);
        assertThat(refused.json().path("field").asString()).isEqualTo(key);
        assertThat(put("{\"%s\":null}".formatted(key)).status())
                .as("what was set before can be reset")
                .isEqualTo(200);
    }

    @Test
    void rulesForKnownNamesAreAccepted() throws Exception {
        var rules =
                """
                {"limits": {"users": {"john.doe": {"max_gpus": 2}, "alice": {"max_gpus": 1}},
                            "groups": {"vision": {"max_hours": 12}}, "default": {"max_gpus": 4}},
                 "users.bob.weight": 2, "groups.lab.weight": 3}
                """;
        assertThat(put(rules).status()).isEqualTo(200);
        var person = "{\"limits\":{\"max_gpus\":1}}";
        assertThat(send("PATCH", "/api/people/alice", person).status()).isEqualTo(200);
        var refused = send("PATCH", "/api/people/alise", person);
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("field").asString()).isEqualTo("user");
        assertThat(send("PATCH", "/api/people/alise", "{\"weight\":null}").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"user, alise, user.unknown", "group, alice, group.unknown"})
    void aReservationIsRefusedByItsField(String field, String name, String code) throws Exception {
        var refused = reserve(field, name);
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("code").asString()).isEqualTo(code);
        assertThat(refused.json().path("field").asString()).isEqualTo(field);
    }

    @Test
    void nameServicesThatDoNotAnswerBlockNothing() throws Exception {
        assertThat(reserve("group", "vision").status()).isEqualTo(201);
        // The caller's own account is known for some minutes.
        machine.fail();
        assertThat(put("{\"groups.vison.weight\":2}").status()).isEqualTo(200);
    }

    private TestHttpClient.Reply reserve(String field, String name) throws Exception {
        var from = Instant.now().plus(Duration.ofHours(1));
        var body =
                "{\"%s\":\"%s\",\"gpus\":1,\"from\":\"%s\",\"seconds\":60}"
                        .formatted(field, name, from);
        return send("POST", "/api/reservations", body);
    }

    private TestHttpClient.Reply put(String body) throws Exception {
        return send("PUT", "/api/rule", body);
    }

    private TestHttpClient.Reply send(String method, String path, String body) throws Exception {
        var token = SystemServer.token(server, DAVE, "x" + System.nanoTime());
        return server.tcp()
                .send(method, path, List.of(token), body.getBytes(StandardCharsets.UTF_8));
    }
}
