package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.util.List;

/** How much GPU memory a task needs, and why other GPUs are refused. */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GpuMemoryNeedTest {

    private static final FakeNvidiaSmi.GpuOutput EMPTY =
            new FakeNvidiaSmi.GpuOutput(0, 24_000, 24_000, 0, 40);

    private final TestApi api;

    GpuMemoryNeedTest(ServerHarness harness) {
        api = harness.configure("model_memory_estimates:\n  mace-large: 9000\n").start();
    }

    @ParameterizedTest(name = "{0}, {1} and {2} atoms need {3} MB")
    @CsvSource({
        "unheard-of, optimization, , 6000",
        "unheard-of, stability, , 7500",
        "unheard-of, heat-capacity, , 10000",
        "unheard-of, bulk-modulus, , 6500",
        "unheard-of, , , 5000",
        "unheard-of, something-else, , 5000",
        "unheard-of, , 1000, 6000",
        "unheard-of, , 0, 5000",
        ", optimization, 1, 4802",
        "mace-large, , , 10000",
    })
    void aModelTasksMemoryIsEstimated(String model, String type, Integer atoms, int mib) {
        var order = draft().with("model_name", model).with("task_type", type);
        long id = api.submit(order.with("structure_n_atoms", atoms));

        var need = api.placement(id).path("need");

        assertThat(need.path("memory_mb").asInt()).isEqualTo(mib);
        assertThat(need.path("memory_from").asString()).isEqualTo("estimate");
        assertThat(need.path("margin_mb").asInt()).isEqualTo(2000);
        assertThat(need.path("threshold_percent").isNull()).isTrue();
    }

    @Test
    void aStatedNeedHasNoMarginAndATaskThatStatesNoneHasTheThreshold() {
        long stated = api.submit(draft().with("model_name", "any").with("memory_gb", 3));
        var need = api.placement(stated).path("need");
        assertThat(need.path("memory_mb").asInt()).isEqualTo(3072);
        assertThat(need.path("memory_from").asString()).isEqualTo("stated");
        assertThat(need.path("margin_mb").asInt()).isZero();

        var plain = api.placement(api.submit(draft())).path("need");
        assertThat(plain.path("memory_mb").isNull()).isTrue();
        assertThat(plain.path("memory_from").asString()).isEqualTo("none");
        assertThat(plain.path("threshold_percent").asInt()).isEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, -500})
    void lessThanNoAtomsAreRefused(int atoms) {
        var order = draft().with("model_name", "m").with("structure_n_atoms", atoms);

        var refused = api.client().post("/api/tasks", order.body()).expect(422);

        assertThat(refused.path("field").asString()).isEqualTo("structure_n_atoms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"4-2", "0", "2-", "-3", "two", "0-2"})
    void whatIsNoRangeOfCardsIsRefused(String count) {
        var order = TaskBuilder.oneGpu("true").with("gpu_count", count);

        var refused = api.client().post("/api/tasks", order.body()).expect(422);

        assertThat(refused.path("field").asString()).isEqualTo("gpu_count");
    }

    @ParameterizedTest(name = "margin {0}: {1} MB free waits, {2} MB starts")
    @CsvSource({"2000, 7999, 8000", "0, 5999, 6000"})
    void anEstimateStartsOnlyWhereItsMarginStaysFree(
            int margin, long tooLittle, long enough, ServerHarness harness) {
        var smi = new FakeNvidiaSmi(harness);
        smi.removeGpu(FakeNvidiaSmi.B);
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(0, 24_000, tooLittle, 0, 40));
        harness.configure("scheduler:\n  memory_safety_margin_mb: " + margin + "\n");
        var own = harness.start();

        long id = own.submit(TaskBuilder.oneGpu("true").with("task_type", "optimization"));

        assertThat(own.waitReasonCodes(id)).containsExactly("cards.short", "card.memory_short");
        var card = own.placement(id).path("gpus").get(0);
        assertThat(card.path("memory_free_mb").asLong()).isEqualTo(tooLittle);
        assertThat(card.path("refusal").path("params").path("margin_mib").asInt())
                .isEqualTo(margin);
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(0, 24_000, enough, 0, 40));
        assertThat(own.awaitEnd(id).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void everyRefusedGpuHasOnePlainReason(ServerHarness harness) {
        var smi = new FakeNvidiaSmi(harness);
        smi.addGpu(EMPTY);
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(1, 24_000, 2_400, 0, 40));
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(2, 24_000, 24_000, 0, 40));
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(3, 24_000, 24_000, 0, 40));
        var own = harness.configure("reserved_gpu_ids: [2]\n").start();
        var gate = new CommandGate(harness.file("gate"));
        long holder = own.submit(TaskBuilder.oneGpu(gate.command()).with("devices", "0"));
        own.awaitPhase(holder, "running");
        smi.addGpu("GPU-dddddddd-0000-0000-0000-000000000000", 3, "[N/A]");
        eventually(
                "the last card cannot be read",
                () -> own.gpus().get(3).path("status").asString().equals("unknown"));

        long id = own.submit(TaskBuilder.oneGpu("true"));
        var placement = own.placement(id);

        assertThat(placement.path("would_start").asBoolean()).isFalse();
        assertThat(placement.path("reasons")).isEqualTo(own.task(id).path("wait_reasons"));
        var cards = TestApi.list(placement.path("gpus"));
        assertThat(cards).noneMatch(card -> card.path("fits").asBoolean());
        assertThat(cards).noneMatch(card -> card.path("chosen").asBoolean());
        assertThat(refusals(cards, "code"))
                .containsExactly("card.held", "card.in_use", "card.reserved", "card.unreadable");
        assertThat(refusals(cards, "detail"))
                .satisfiesExactly(
                        held -> assertThat(held).contains("task " + holder),
                        used -> assertThat(used).contains("21600 of 24000"),
                        reserved -> assertThat(reserved).contains("reserved"),
                        unread -> assertThat(unread).isNotBlank());
        gate.open();
        assertThat(own.awaitEnd(id).path("assigned_gpus").toString()).isEqualTo("[0]");
    }

    private static List<String> refusals(List<JsonNode> cards, String field) {
        return cards.stream().map(card -> card.path("refusal").path(field).asString()).toList();
    }

    private static TaskBuilder draft() {
        return TaskBuilder.oneGpu("true").with("draft", true);
    }
}
