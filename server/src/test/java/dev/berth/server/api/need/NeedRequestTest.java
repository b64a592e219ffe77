package dev.berth.server.api.need;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.plan.ForeignProcessPolicy;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** What GPUs and time a task may request, and how that is shown. */
class NeedRequestTest {

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

    private TestHttpClient.Reply post(String fields) {
        return server.socket()
                .post("/api/tasks", "{\"name\":\"n\",\"command\":\"true\"," + fields + "}");
    }

    private JsonNode submitted(String fields) {
        var reply = post(fields);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.json();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"0\"|0|1",
                "\"0,1\"|0,1|2",
                "\" 1 , 0 \"|0,1|2",
                "\"auto\"|auto|1",
                "null|auto|1",
                "\" cpu \"|cpu|0"
            })
    void devicesAreAutoCpuOrCardNumbersInOrder(String sent, String shown, int count) {
        var task = submitted("\"devices\":" + sent);
        assertThat(task.get("devices").asString()).isEqualTo(shown);
        assertThat(task.get("gpu_count").asInt()).isEqualTo(count);
        assertThat(task.get("max_gpu").asInt()).isEqualTo(count);
    }

    @Test
    void unknownGpuIsReported() {
        var reply = post("\"devices\":\"0,99\"");
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo("devices");
        assertThat(reply.json().get("detail").asString())
                .contains("GPU 99")
                .contains("Known: 0, 1.");
    }

    @Test
    void reservedGpuIsRejected() throws Exception {
        server.close();
        var pool = new GpuPool(Optional.empty(), new TreeSet<>(List.of(1)));
        var rules = new SchedulingRules(20, ForeignProcessPolicy.YIELD, pool);
        server = TestServer.open(new TestServer.Options(rules, Duration.ofDays(1)));
        var reply = post("\"devices\":\"1\"");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.field()).isEqualTo("devices");
        assertThat(reply.json().get("detail").asString()).contains("GPU 1 is reserved");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"gpu_count\":2|2|2",
                "\"gpu_count\":\"1-2\"|1|2",
                "\"gpu_count\":\" 1 - 2 \"|1|2",
                "\"min_gpu\":1,\"max_gpu\":2|1|2",
                "\"max_gpu\":4|1|4",
                "\"min_gpu\":2|2|2",
                "\"gpu_count\":1,\"max_gpu\":2|1|2",
                "\"gpu_count\":2,\"min_gpu\":1|1|2",
                "\"gpu_count\":1,\"min_gpu\":1,\"max_gpu\":1|1|1",
                "\"devices\":\"0,1\",\"gpu_count\":2|2|2"
            })
    void aCountIsANumberOrARange(String fields, int least, int most) {
        var task = submitted(fields);
        assertThat(task.get("gpu_count").asInt()).isEqualTo(least);
        assertThat(task.get("min_gpu").asInt()).isEqualTo(least);
        assertThat(task.get("max_gpu").asInt()).isEqualTo(most);
        var summary = server.socket().get("/api/tasks").json().get(0);
        assertThat(summary.get("gpu_count").asInt()).isEqualTo(least);
        assertThat(summary.get("max_gpu").asInt()).isEqualTo(most);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max_gpu|\"min_gpu\":2,\"max_gpu\":1",
                "max_gpu|\"gpu_count\":2,\"max_gpu\":1",
                "min_gpu|\"gpu_count\":1,\"min_gpu\":2",
                "gpu_count|\"gpu_count\":3,\"min_gpu\":1,\"max_gpu\":2",
                "gpu_count|\"devices\":\"0,1\",\"gpu_count\":1",
                "gpu_count|\"devices\":\"0,1\",\"gpu_count\":\"1-2\"",
                "min_gpu|\"devices\":\"0,1\",\"min_gpu\":1",
                "max_gpu|\"devices\":\"0\",\"max_gpu\":2",
                "share|\"devices\":\"cpu\",\"share\":true,\"memory_gb\":1",
                "share|\"share\":true"
            })
    void countsThatDoNotAgreeAreRefused(String field, String fields) {
        var reply = post(fields);
        assertThat(reply.status()).as(reply.text()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo(field);
        assertThat(server.tasks()).isZero();
    }

    @Test
    void sharingNeedsMemory() {
        var task = submitted("\"share\":true,\"memory_gb\":2");
        assertThat(task.get("share").asBoolean()).isTrue();
        assertThat(submitted("\"share\":false").get("share").asBoolean()).isFalse();
        var shared = server.socket().get("/api/tasks").json().get(1);
        assertThat(shared.get("share").asBoolean()).isTrue();
    }

    @Test
    void modelTaskHasAnHourByDefault() {
        var task =
                submitted(
                        "\"model_name\":\" mace \",\"task_type\":\"stability\","
                                + "\"structure_n_atoms\":200");
        assertThat(task.get("model_name").asString()).isEqualTo("mace");
        assertThat(task.get("task_type").asString()).isEqualTo("stability");
        assertThat(task.get("structure_n_atoms").asInt()).isEqualTo(200);
        assertThat(task.get("timeout_seconds").asInt()).isEqualTo(3600);
        assertThat(
                        submitted("\"task_type\":\"x\",\"timeout_seconds\":2592000")
                                .get("timeout_seconds")
                                .asInt())
                .isEqualTo(2_592_000);
        assertThat(submitted("\"gpu_count\":1").get("timeout_seconds").isNull()).isTrue();
        assertThat(submitted("\"timeout_seconds\":5").get("timeout_seconds").asInt()).isEqualTo(5);
        var summary = server.socket().get("/api/tasks").json().get(0);
        assertThat(summary.get("timeout_seconds").asInt()).isEqualTo(5);
    }

    @Test
    void draftIsPendingWithoutReasons() {
        var draft = submitted("\"draft\":true");
        assertThat(draft.get("status").asString()).isEqualTo("pending");
        assertThat(draft.get("phase").asString()).isEqualTo("pending");
        for (var absent : List.of("queued_at", "position", "score")) {
            assertThat(draft.get(absent).isNull()).as(absent).isTrue();
        }
        assertThat(draft.get("wait_reasons").isEmpty()).isTrue();
        var id = draft.get("id").asLong();
        assertThat(server.show(id)).isEqualTo(draft);
        var listed = server.socket().get("/api/tasks?status=pending").json();
        assertThat(listed.size()).isEqualTo(1);
        assertThat(listed.get(0).get("queued_at").isNull()).isTrue();
        assertThat(server.socket().post("/api/tasks/" + id + "/cancel", "").json().get("status"))
                .hasToString("\"cancelled\"");
    }

    @Test
    void scoreComesFromPriorityAndAge() {
        var reply = post("\"priority\":\"LOW\"");
        var task = reply.json();
        var created = Instant.parse(task.get("created_at").asString());
        double seconds = created.getEpochSecond() + created.getNano() / 1e9;
        assertThat(task.get("score").asDouble()).isEqualTo(3e12 + seconds);
        assertThat(reply.text()).containsPattern("\"score\":300[0-9]{10}\\.[0-9]+,");
        assertThat(task.get("queued_at")).isEqualTo(task.get("created_at"));
        assertThat(task.get("position").asInt()).isZero();
    }

    @Test
    void sharingTasksRunOnOneGpuThatKeepsItsModel() {
        assertThat(server.socket().post("/api/scheduler/start", "").status()).isEqualTo(200);
        var shared = "\"share\":true,\"memory_gb\":2,\"devices\":\"0\",\"model_name\":\"mace\"";
        long one = submitted(shared).get("id").asLong();
        long two = submitted(shared).get("id").asLong();
        var gpu = server.socket().get("/api/gpus").json().get(0);
        assertThat(gpu.get("task_ids").toString()).isEqualTo("[" + one + "," + two + "]");
        assertThat(gpu.get("loaded_models").toString()).isEqualTo("[\"mace\"]");
        assertThat(gpu.get("headroom_mb").asLong()).isEqualTo(ScriptedNode.TOTAL_MIB - 4096);
        assertThat(server.engine.state().holds().get(new GpuId("here", "GPU-0")).orElseThrow())
                .hasSize(2);
        assertThat(gpu.get("is_free").asBoolean()).isFalse();
    }
}
