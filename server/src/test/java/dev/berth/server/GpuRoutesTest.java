package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.TaskId;

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

    @Test
    void aHolderIsNamedAndWhatItLeftIsRemembered() {
        long task = premises.submit(Premises.body(Map.of("name", "one", "command", "true")));
        int index = gpu(0).get("assigned_task_id").isNull() ? 1 : 0;
        var holder = gpu(index).get("holders").get(0);
        assertThat(holder.get("task_id").asLong()).isEqualTo(task);
        assertThat(holder.get("name").asString()).isEqualTo("one");
        assertThat(holder.get("owner").asString()).isNotEmpty();
        assertThat(holder.get("since").asString()).endsWith("Z");
        assertThat(gpu(index).get("released_at").isNull()).isTrue();
        premises.end(task, 0);
        assertThat(gpu(index).get("released_at").asString()).endsWith("Z");
        assertThat(gpu(index).get("holders").isEmpty()).isTrue();
        assertThat(gpu(index).get("headroom_mb").asLong()).isEqualTo(ScriptedNode.TOTAL_MIB);
    }

    @Test
    void processesAreListedWhenAskedForAndAnothersWorkMakesTheCardBusy() {
        var bobs =
                new Occupant(
                        42,
                        OptionalLong.of(300),
                        Occupant.Kind.COMPUTE,
                        "python3",
                        new Whose.User("bob", false),
                        Optional.of(Instant.parse("2025-11-15T08:00:00Z")));
        var task = new Whose.Ours(new AttemptId(new TaskId(7), 1));
        var ours =
                new Occupant(
                        43,
                        OptionalLong.empty(),
                        Occupant.Kind.GRAPHICS,
                        "x",
                        task,
                        Optional.empty());
        var state = (CardState.Readable) ScriptedNode.readable(0, 300);
        premises.node.tell(
                new CardState.Readable(
                        state.card(), state.reading().with(Optional.of(List.of(bobs, ours)))),
                new CardState.Failed(ScriptedNode.card(1), "gone"));
        eventually("the reading is in", () -> gpu(0).get("memory_used_mb").asLong() == 300);
        assertThat(gpu(0).get("status").asString()).isEqualTo("busy");
        assertThat(gpu(0).get("processes").isNull()).isTrue();
        var listed = premises.socket().get("/api/gpus?processes=true").json().get(0);
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
        assertThat(premises.socket().get("/api/gpus?processes=perhaps").status()).isEqualTo(422);
    }
}
