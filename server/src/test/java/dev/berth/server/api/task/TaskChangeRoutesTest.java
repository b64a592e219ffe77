package dev.berth.server.api.task;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class TaskChangeRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        server.stopScheduler();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private long task(Map<String, ?> fields) {
        var all = new TreeMap<String, Object>(fields);
        all.putIfAbsent("name", "n");
        all.putIfAbsent("command", "true");
        return server.submit(TestServer.body(all));
    }

    private TestHttpClient.Reply patch(long id, String body) {
        return server.socket().patch("/api/tasks/" + id, body);
    }

    private JsonNode changed(long id, String body) {
        var reply = patch(id, body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(withoutForecast(reply.json())).isEqualTo(withoutForecast(server.show(id)));
        return reply.json();
    }

    /** The expected start is computed later. */
    private static JsonNode withoutForecast(JsonNode task) {
        return ((ObjectNode) task.deepCopy()).without("eta_reason");
    }

    @Test
    void changesOnlyTheNamedFields() {
        long id =
                task(
                        Map.of(
                                "memory_gb",
                                1.5,
                                "priority",
                                "LOW",
                                "env",
                                Map.of("A", "1"),
                                "model_name",
                                "mace",
                                "structure_n_atoms",
                                7,
                                "work_dir",
                                server.home.toString()));
        var before = server.show(id);
        var after = changed(id, "{\"name\":\" other \"}");
        assertThat(after.get("name").asString()).isEqualTo("other");
        for (var field : before.propertyNames()) {
            if (!field.equals("name")) {
                assertThat(after.get(field)).as(field).isEqualTo(before.get(field));
            }
        }
        assertThat(server.socket().get("/api/events/log").text()).contains("task.changed");
    }

    @Test
    void repeatingTheSameDevicesChangesNothing() {
        long id = task(Map.of("gpu_count", "1-2"));
        assertThat(changed(id, "{\"devices\":\" auto \"}").get("max_gpu").asInt()).isEqualTo(2);
        assertThat(changed(id, "{\"devices\":\"1\"}").get("max_gpu").asInt()).isEqualTo(1);
    }

    @Test
    void removingTheModelRemovesItsDefaults() {
        long usual = task(Map.of("model_name", "mace", "structure_n_atoms", 7));
        var plain = changed(usual, "{\"model_name\":null}");
        assertThat(plain.get("timeout_seconds").isNull()).isTrue();
        assertThat(plain.get("structure_n_atoms").isNull()).isTrue();
        long stated = task(Map.of("model_name", "mace", "timeout_seconds", 60));
        assertThat(changed(stated, "{\"model_name\":null}").get("timeout_seconds").asInt())
                .isEqualTo(60);
        long kind = task(Map.of("model_name", "mace", "task_type", "x", "structure_n_atoms", 7));
        assertThat(changed(kind, "{\"model_name\":null}").get("structure_n_atoms").asInt())
                .isEqualTo(7);
    }

    @Test
    void nullUnsetsAField() {
        long id =
                task(
                        Map.of(
                                "memory_gb",
                                1.5,
                                "share",
                                true,
                                "priority",
                                "LOW",
                                "env",
                                Map.of("A", "1"),
                                "gpu_type",
                                ScriptedNode.MODEL,
                                "timeout_seconds",
                                60));
        var after =
                changed(
                        id,
                        "{\"memory_gb\":null,\"share\":null,\"priority\":null,\"env\":null,"
                                + "\"gpu_type\":null,\"timeout_seconds\":null}");
        assertThat(after.get("priority").asString()).isEqualTo("NORMAL");
        assertThat(after.get("env").isEmpty()).isTrue();
        assertThat(after.get("share").asBoolean()).isFalse();
        for (var unset : List.of("memory_gb", "gpu_type", "timeout_seconds")) {
            assertThat(after.get(unset).isNull()).as(unset).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"gpu_count\":\"1-2\"}|{\"gpu_count\":1}|auto|1|1",
                "{\"gpu_count\":1}|{\"gpu_count\":\"1-2\"}|auto|1|2",
                "{\"gpu_count\":1}|{\"max_gpu\":2}|auto|1|2",
                "{\"gpu_count\":2}|{\"min_gpu\":1}|auto|1|2",
                "{\"gpu_count\":\"1-2\"}|{\"max_gpu\":null}|auto|1|1",
                "{\"gpu_count\":2}|{\"gpu_count\":null}|auto|1|1",
                "{\"gpu_count\":1}|{\"devices\":\"0,1\"}|0,1|2|2",
                "{\"devices\":\"0,1\"}|{\"devices\":\"auto\"}|auto|1|1",
                "{\"gpu_count\":2}|{\"devices\":\"cpu\"}|cpu|0|0",
                "{\"devices\":\"cpu\"}|{\"devices\":null,\"gpu_count\":2}|auto|2|2"
            })
    void anotherCountOrOtherCardsReplaceTheOldBounds(
            String first, String change, String devices, int least, int most) {
        long id = server.submit(first.replaceFirst("\\{", "{\"name\":\"n\",\"command\":\"true\","));
        var after = changed(id, change);
        assertThat(after.get("devices").asString()).isEqualTo(devices);
        assertThat(after.get("min_gpu").asInt()).isEqualTo(least);
        assertThat(after.get("max_gpu").asInt()).isEqualTo(most);
    }

    @Test
    void addingAModelSetsItsDefaultTimeLimit() {
        long id = task(Map.of());
        assertThat(changed(id, "{\"task_type\":\"x\"}").get("timeout_seconds").asInt())
                .isEqualTo(3600);
    }

    @Test
    void changedTaskKeepsItsQueuePosition() {
        long first = task(Map.of());
        long second = task(Map.of());
        changed(first, "{\"memory_gb\":2}");
        assertThat(server.show(first).get("position").asInt()).isZero();
        assertThat(server.show(second).get("position").asInt()).isEqualTo(1);
        changed(second, "{\"priority\":\"HIGH\"}");
        assertThat(server.show(second).get("position").asInt()).isZero();
        long draft = server.draft(Map.of("name", "d", "command", "true"));
        assertThat(changed(draft, "{\"command\":\"false\"}").get("status").asString())
                .isEqualTo("pending");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "422||{}",
                "422|name|{\"name\":\"\"}",
                "422|name|{\"name\":null}",
                "422|command|{\"command\":null}",
                "422|priority|{\"priority\":\"URGENT\"}",
                "422|devices|{\"devices\":\"0,0\"}",
                "422|devices|{\"devices\":\"99\"}",
                "422|gpu_count|{\"gpu_count\":\"4-2\"}",
                "422|timeout_seconds|{\"timeout_seconds\":2592001}",
                "422|structure_n_atoms|{\"structure_n_atoms\":-1}",
                "422|share|{\"share\":true}",
                "422|owner|{\"owner\":\"bob\"}",
                "422|draft|{\"draft\":true}",
                "422|nmae|{\"nmae\":\"x\"}",
                "422|work_dir|{\"work_dir\":\"relative\"}",
                "400|gpu_count|{\"gpu_count\":3}",
                "400||{"
            })
    void aBadChangeIsNamedAndChangesNothing(int status, String field, String body) {
        long id = task(Map.of());
        var before = server.show(id);
        var reply = patch(id, body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.field()).isEqualTo(field == null ? "" : field);
        assertThat(server.show(id)).isEqualTo(before);
    }

    @Test
    void rejectsChangesOfStartedAndEndedTasks() {
        long id = task(Map.of());
        assertThat(server.socket().post("/api/scheduler/start", "").status()).isEqualTo(200);
        eventually("it runs", () -> server.show(id).get("status").asString().equals("running"));
        for (var status : List.of("running", "finished")) {
            var reply = patch(id, "{\"name\":\"late\"}");
            assertThat(reply.status()).isEqualTo(409);
            assertThat(reply.code()).isEqualTo("task.not_waiting");
            assertThat(reply.json().get("params").get("status").asString()).isEqualTo(status);
            if (status.equals("running")) {
                server.end(id, 0);
            }
        }
        assertThat(patch(999, "{\"name\":\"x\"}").status()).isEqualTo(404);
        assertThat(server.socket().patch("/api/tasks/abc", "{}").status()).isEqualTo(422);
    }

    @Test
    void concurrentChangesAreBothApplied() throws Exception {
        long id = task(Map.of());
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 1; round <= 20; round++) {
                var replies = new ArrayList<Future<TestHttpClient.Reply>>();
                var name = "\"round " + round + "\"";
                var limit = Integer.toString(round);
                replies.add(callers.submit(() -> patch(id, "{\"name\":" + name + "}")));
                replies.add(callers.submit(() -> patch(id, "{\"timeout_seconds\":" + limit + "}")));
                for (var reply : replies) {
                    assertThat(reply.get().status()).as(reply.get().text()).isEqualTo(200);
                }
                assertThat(server.show(id).get("name").toString()).isEqualTo(name);
                assertThat(server.show(id).get("timeout_seconds").toString()).isEqualTo(limit);
            }
        }
    }
}
