package dev.berth.server.api.people;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.port.Fact;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Users and reservations; rules do not reach the engine of this server. */
class PeopleRoutesTest {

    private static final String GPU_TASK =
            "{\"name\":\"train\",\"command\":\"true\",\"gpu_count\":1}";

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private TestHttpClient.Reply send(String method, String path, String body) {
        return server.socket().send(method, path, List.of(), body.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void everyUserWithATaskIsListed() {
        assertThat(server.socket().get("/api/people").text()).isEqualTo("[]\n");
        server.submit(TestServer.cpuTask("runs"));
        server.draft(Map.of("name", "d", "command", "true"));
        var people = server.socket().get("/api/people").json();
        assertThat(people).hasSize(1);
        var person = people.get(0);
        assertThat(person.get("user").asString()).isNotBlank();
        assertThat(person.get("role").asString()).isEqualTo("admin");
        assertThat(person.get("running").asInt()).isEqualTo(1);
        assertThat(person.get("running_gpus").asInt()).isZero();
        assertThat(person.get("queued").asInt()).isEqualTo(1);
        assertThat(person.get("share").asDouble()).isEqualTo(1);
        assertThat(person.get("weight").asDouble()).isEqualTo(1);
        assertThat(person.get("limits")).isEmpty();
        assertThat(person.get("over_budget").asBoolean()).isFalse();
    }

    @Test
    void weightAndLimitsOfAUserAreWrittenToTheConfiguration() throws Exception {
        var change = "{\"weight\":2.5,\"limits\":{\"max_gpus\":4,\"max_priority\":\"high\"}}";
        assertThat(send("PATCH", "/api/people/john.doe", change).status()).isEqualTo(200);
        var file = server.home.resolve("config/berth.yaml");
        assertThat(Files.readString(file)).contains("john", "weight: 2.5", "max_gpus: 4");
        var rules = server.socket().get("/api/rule").json().get("entries");
        assertThat(value(rules, "users.john.doe.weight").asDouble()).isEqualTo(2.5);
        assertThat(value(rules, "limits.users.john.doe.max_gpus").asInt()).isEqualTo(4);

        send("PATCH", "/api/people/john.doe", "{\"limits\":{\"max_gpus\":null}}");
        assertThat(Files.readString(file)).doesNotContain("max_gpus").contains("max_priority");
        var nested = "{\"limits\":{\"groups\":{\"vision\":{\"max_hours\":12}}}}";
        assertThat(send("PUT", "/api/rule", nested).status()).isEqualTo(200);
        assertThat(Files.readString(file)).contains("max_hours: 12");
        assertThat(send("PUT", "/api/rule", "{\"limits\":null}").status()).isEqualTo(200);
        assertThat(Files.readString(file)).doesNotContain("max_hours", "max_priority");
    }

    private static JsonNode value(JsonNode entries, String key) {
        for (var entry : entries) {
            if (entry.get("key").asString().equals(key)) {
                return entry.get("value");
            }
        }
        throw new AssertionError("no rule " + key + " in " + entries);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"weight\":0}|users.ann.weight",
                "{\"limits\":{\"max_gpus\":-1}}|limits.users.ann.max_gpus",
                "{\"limits\":{\"gpus\":1}}|limits.users.ann.gpus",
                "{\"limits\":7}|limits",
                "{\"quota\":7}|quota",
            })
    void anInvalidChangeNamesTheField(String body, String field) {
        assertThat(send("PATCH", "/api/people/ann", body).field()).isEqualTo(field);
    }

    @Test
    void reservationsAreCreatedListedShownOnGpusAndRemoved() {
        var made =
                send(
                        "POST",
                        "/api/reservations",
                        "{\"group\":\"vision\",\"gpus\":1,\"from\":\"2020-01-06T00:00:00Z\","
                                + "\"seconds\":604799,\"weekly\":true,\"note\":\"demo\"}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().get("id").asLong()).isEqualTo(1);
        var all = server.socket().get("/api/reservations").json();
        assertThat(all).hasSize(1);
        assertThat(all.get(0).get("group").asString()).isEqualTo("vision");
        assertThat(all.get(0).get("user").isNull()).isTrue();
        assertThat(all.get(0).get("devices").isNull()).isTrue();
        assertThat(all.get(0).get("active").asBoolean()).isTrue();
        assertThat(all.get(0).get("kept_gpus").get(0).asInt()).isZero();
        var gpus = server.socket().get("/api/gpus").json();
        assertThat(gpus.get(0).get("reservations").get(0).get("group").asString())
                .isEqualTo("vision");
        assertThat(gpus.get(1).get("reservations")).isEmpty();
        var windows = server.socket().get("/api/timeline").json().get("windows");
        assertThat(windows.get(0).get("reservation").asLong()).isEqualTo(1);
        assertThat(windows.toString()).contains("\"gpus\":[0]", "\"group\":\"vision\"");

        long first = server.submit(GPU_TASK);
        long second = server.submit(GPU_TASK);
        assertThat(server.show(first).get("status").asString()).isEqualTo("running");
        assertThat(server.show(second).get("wait_reasons").toString())
                .contains("card.reservation", "is reserved for group vision until")
                .contains("(reservation 1)");

        assertThat(send("DELETE", "/api/reservations/1", "").status()).isEqualTo(200);
        assertThat(send("DELETE", "/api/reservations/1", "").status()).isEqualTo(404);
        assertThat(server.socket().get("/api/reservations").text()).isEqualTo("[]\n");
    }

    @Test
    void aReservationBeginsAtAWholeSecond() {
        var made =
                send(
                        "POST",
                        "/api/reservations",
                        "{\"gpus\":1,\"from\":\"2999-01-06T00:00:07.015706656Z\",\"seconds\":60}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(server.socket().get("/api/reservations").text())
                .contains("2999-01-06T00:00:07.000000Z")
                .doesNotContain("07.0157");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"gpus\":1,\"from\":\"2999-01-01T00:00:00Z\"}|seconds",
                "{\"gpus\":1,\"seconds\":60}|from",
                "{\"gpus\":1,\"seconds\":60,\"from\":\"soon\"}|from",
                "{\"gpus\":0,\"seconds\":60,\"from\":\"2999-01-01T00:00:00Z\"}|gpus",
                "{\"gpus\":99,\"seconds\":60,\"from\":\"2999-01-01T00:00:00Z\"}|gpus",
                "{\"gpus\":\"a\",\"seconds\":60,\"from\":\"2999-01-01T00:00:00Z\"}|gpus",
                "{\"gpus\":1,\"seconds\":60,\"from\":\"2000-01-01T00:00:00Z\"}|from",
            })
    void anInvalidReservationNamesTheField(String body, String field) {
        assertThat(send("POST", "/api/reservations", body).field()).isEqualTo(field);
    }

    @Test
    void groupsAreShown() {
        server.submit(TestServer.cpuTask("runs"));
        var user = server.socket().get("/api/people").json().get(0).get("user").asString();
        var groups = new TreeMap<String, SortedSet<String>>();
        groups.put("unix:" + user, new TreeSet<>(List.of("vision")));
        server.engine.observe(new Fact.GroupsRead(groups));
        server.submit(TestServer.cpuTask("second"));
        assertThat(server.socket().get("/api/people").json().get(0).get("groups").toString())
                .isEqualTo("[\"vision\"]");
    }
}
