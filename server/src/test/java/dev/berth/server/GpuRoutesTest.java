package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardState;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.util.Map;

class GpuRoutesTest {

    private Premises premises;

    @BeforeEach
    void open() throws Exception {
        premises = Premises.open();
    }

    @AfterEach
    void close() throws Exception {
        premises.close();
    }

    private JsonNode gpu(int index) {
        return premises.socket().get("/api/gpus").json().get(index);
    }

    @Test
    void anIdleCardIsFree() {
        var gpu = gpu(1);
        assertThat(gpu.get("index").asInt()).isEqualTo(1);
        assertThat(gpu.get("id").asInt()).isEqualTo(1);
        assertThat(gpu.get("uuid").asString()).isEqualTo("GPU-1");
        assertThat(gpu.get("name").asString()).isEqualTo(ScriptedNode.MODEL);
        assertThat(gpu.get("memory").toString())
                .isEqualTo("{\"total_mb\":24000,\"used_mb\":0,\"free_mb\":24000}");
        assertThat(gpu.get("utilization").asInt()).isEqualTo(7);
        assertThat(gpu.get("temperature_c").asInt()).isEqualTo(41);
        assertThat(gpu.get("is_free").asBoolean()).isTrue();
        assertThat(gpu.get("status").asString()).isEqualTo("free");
        assertThat(gpu.get("assigned_task_id").isNull()).isTrue();
        assertThat(gpu.get("current_task_id").isNull()).isTrue();
        assertThat(gpu.get("loaded_models").isEmpty()).isTrue();
    }

    @Test
    void aCardHeldByATaskShowsIt() {
        long task =
                premises.submit(
                        Premises.body(Map.of("name", "both", "command", "true", "gpu_count", 2)));
        for (int index = 0; index < 2; index++) {
            var gpu = gpu(index);
            assertThat(gpu.get("assigned_task_id").asLong()).isEqualTo(task);
            assertThat(gpu.get("task_ids").toString()).isEqualTo("[" + task + "]");
            assertThat(gpu.get("is_free").asBoolean()).isFalse();
            assertThat(gpu.get("status").asString()).isEqualTo("busy");
        }
        premises.end(task, 0);
        assertThat(gpu(0).get("is_free").asBoolean()).isTrue();
    }

    @Test
    void twentyPercentOfTheMemoryIsBusyAndALittleLessIsNot() {
        long threshold = ScriptedNode.TOTAL_MIB * 20 / 100;
        premises.node.read(2, threshold, threshold - 1);
        eventually("the reading is in", () -> gpu(0).get("memory_used_mb").asLong() == threshold);
        assertThat(gpu(0).get("is_free").asBoolean()).isFalse();
        assertThat(gpu(0).get("status").asString()).isEqualTo("busy");
        assertThat(gpu(1).get("is_free").asBoolean()).isTrue();
    }

    @Test
    void aCardThatCannotBeReadIsUnknownAndNotFree() {
        premises.node.read(1);
        eventually(
                "card 1 is gone from the readings",
                () ->
                        premises.engine
                                .state()
                                .cards()
                                .values()
                                .anyMatch(CardState.Unknown.class::isInstance));
        var gpu = gpu(1);
        assertThat(gpu.get("status").asString()).isEqualTo("unknown");
        assertThat(gpu.get("is_free").asBoolean()).isFalse();
        assertThat(gpu.get("memory_used_mb").isNull()).isTrue();
        assertThat(gpu.get("utilization").isNull()).isTrue();
        assertThat(gpu.get("memory_total_mb").asLong()).isEqualTo(ScriptedNode.TOTAL_MIB);
    }
}
