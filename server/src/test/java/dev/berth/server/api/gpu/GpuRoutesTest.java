package dev.berth.server.api.gpu;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.server.TestServer;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

class GpuRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private JsonNode gpu(int index) {
        return server.socket().get("/api/gpus").json().get(index);
    }

    @Test
    void idleGpuIsFree() {
        var gpu = gpu(1);
        assertThat(gpu.get("index").asInt()).isEqualTo(1);
        assertThat(gpu.get("id").asInt()).isEqualTo(1);
        assertThat(gpu.get("uuid").asString()).isEqualTo("GPU-1");
        assertThat(gpu.get("name").asString()).isEqualTo(ScriptedNode.MODEL);
        assertThat(gpu.get("memory").toString())
                .isEqualTo("{\"total_mb\":24000,\"used_mb\":0,\"free_mb\":24000}");
        assertThat(gpu.get("memory_total_mb").asLong()).isEqualTo(24_000);
        assertThat(gpu.get("memory_used_mb").asLong()).isZero();
        assertThat(gpu.get("memory_free_mb").asLong()).isEqualTo(24_000);
        assertThat(gpu.get("utilization").asInt()).isEqualTo(7);
        assertThat(gpu.get("utilization_percent").asInt()).isEqualTo(7);
        assertThat(gpu.get("temperature_c").asInt()).isEqualTo(41);
        assertThat(gpu.get("is_free").asBoolean()).isTrue();
        assertThat(gpu.get("status").asString()).isEqualTo("free");
        assertThat(gpu.get("assigned_task_id").isNull()).isTrue();
        assertThat(gpu.get("current_task_id").isNull()).isTrue();
        assertThat(gpu.get("loaded_models").isEmpty()).isTrue();
    }

    @Test
    void showsTheTaskThatHoldsAGpu() {
        long task =
                server.submit(
                        TestServer.body(Map.of("name", "both", "command", "true", "gpu_count", 2)));
        for (int index = 0; index < 2; index++) {
            var gpu = gpu(index);
            assertThat(gpu.get("assigned_task_id").asLong()).isEqualTo(task);
            assertThat(gpu.get("task_ids").toString()).isEqualTo("[" + task + "]");
            assertThat(gpu.get("is_free").asBoolean()).isFalse();
            assertThat(gpu.get("status").asString()).isEqualTo("busy");
        }
        server.end(task, 0);
        assertThat(gpu(0).get("is_free").asBoolean()).isTrue();
    }

    @Test
    void gpuIsBusyFromTwentyPercentMemory() {
        long threshold = ScriptedNode.TOTAL_MIB * 20 / 100;
        server.node.read(2, threshold, threshold - 1);
        eventually("the reading is in", () -> gpu(0).get("memory_used_mb").asLong() == threshold);
        assertThat(gpu(0).get("is_free").asBoolean()).isFalse();
        assertThat(gpu(0).get("status").asString()).isEqualTo("busy");
        assertThat(gpu(1).get("is_free").asBoolean()).isTrue();
    }

    @Test
    void unreadableGpuIsUnknown() {
        server.node.read(1);
        eventually(
                "card 1 is gone from the readings",
                () ->
                        server.engine
                                .state()
                                .gpus()
                                .values()
                                .anyMatch(GpuState.Unknown.class::isInstance));
        var gpu = gpu(1);
        assertThat(gpu.get("status").asString()).isEqualTo("unknown");
        assertThat(gpu.get("is_free").asBoolean()).isFalse();
        assertThat(gpu.get("memory_used_mb").isNull()).isTrue();
        assertThat(gpu.get("utilization").isNull()).isTrue();
        assertThat(gpu.get("memory_total_mb").asLong()).isEqualTo(ScriptedNode.TOTAL_MIB);
    }

    @Test
    void showsHolderAndReleaseTime() {
        long task = server.submit(TestServer.body(Map.of("name", "one", "command", "true")));
        int index = gpu(0).get("assigned_task_id").isNull() ? 1 : 0;
        var holder = gpu(index).get("holders").get(0);
        assertThat(holder.get("task_id").asLong()).isEqualTo(task);
        assertThat(holder.get("name").asString()).isEqualTo("one");
        assertThat(holder.get("owner").asString()).isNotEmpty();
        assertThat(holder.get("since").asString()).endsWith("Z");
        assertThat(gpu(index).get("released_at").isNull()).isTrue();
        server.end(task, 0);
        assertThat(gpu(index).get("released_at").asString()).endsWith("Z");
        assertThat(gpu(index).get("holders").isEmpty()).isTrue();
        assertThat(gpu(index).get("headroom_mb").asLong()).isEqualTo(ScriptedNode.TOTAL_MIB);
    }

    @Test
    void listsProcessesOnRequestAndForeignOnesMakeTheGpuBusy() {
        var bobs =
                new GpuProcess(
                        42,
                        OptionalLong.of(300),
                        GpuProcess.Kind.COMPUTE,
                        "python3",
                        new ProcessOwner.HostUser("bob", false),
                        Optional.of(Instant.parse("2025-11-15T08:00:00Z")));
        var task = new ProcessOwner.BerthAttempt(new AttemptId(new TaskId(7), 1));
        var ours =
                new GpuProcess(
                        43,
                        OptionalLong.empty(),
                        GpuProcess.Kind.GRAPHICS,
                        "x",
                        task,
                        Optional.empty());
        var state = (GpuState.Readable) ScriptedNode.readable(0, 300);
        server.node.tell(
                new GpuState.Readable(
                        state.gpu(),
                        state.reading().withProcesses(Optional.of(List.of(bobs, ours)))),
                new GpuState.Failed(ScriptedNode.card(1), "gone"));
        eventually("the reading is in", () -> gpu(0).get("memory_used_mb").asLong() == 300);
        assertThat(gpu(0).get("status").asString()).isEqualTo("busy");
        assertThat(gpu(0).get("processes").isNull()).isTrue();
        var listed = server.socket().get("/api/gpus?processes=true").json().get(0);
        assertThat(listed.get("processes").toString())
                .isEqualTo(
                        """
                        [{"pid":42,"user":"bob","name":"python3","memory_mb":300,\
                        "kind":"compute","since":"2025-11-15T08:00:00.000000Z","task_id":null,\
                        "foreign":true},{"pid":43,"user":null,"name":"x","memory_mb":null,\
                        "kind":"graphics","since":null,"task_id":7,"foreign":false}]\
                        """);
        assertThat(gpu(1).get("status").asString()).isEqualTo("error");
        assertThat(gpu(1).get("why").asString()).isEqualTo("gone");
        assertThat(server.socket().get("/api/gpus?processes=perhaps").status()).isEqualTo(422);
    }
}
