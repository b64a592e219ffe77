package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Which of the suitable GPUs a task gets, how many, and which tasks share them. */
@ExtendWith(ServerHarnessExtension.class)
final class GpuChoiceTest {

    private static final Offset<Double> EXACTLY = within(1e-9);

    @Test
    void theBestScoreWinsAndALoadedModelOutweighsTheRest(ServerHarness harness) {
        var smi = new FakeNvidiaSmi(harness);
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(0, 24_000, 20_000, 0, 50));
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(1, 24_000, 22_000, 0, 80));
        var api = harness.start();
        long draft = api.submit(model("wanted").with("draft", true));

        assertThat(scores(api, draft, "score")).containsExactly(25.0, 24.0);
        assertThat(card(api, draft, 0).path("chosen").asBoolean()).isTrue();
        var parts = card(api, draft, 0).path("scores").path("best_score").path("parts");
        assertThat(parts.path("memory_free").asDouble()).isEqualTo(20.0);
        assertThat(parts.path("coolness").asDouble()).isEqualTo(5.0);
        assertThat(cardsOf(api, api.submit(TaskBuilder.oneGpu("true")))).isEqualTo("[0]");

        load(api, "wanted", 1);

        assertThat(scores(api, draft, "score")).containsExactly(25.0, 124.0);
        assertThat(card(api, draft, 1).path("chosen").asBoolean()).isTrue();
        assertThat(api.gpus().get(1).path("loaded_models").toString()).contains("wanted");
        assertThat(cardsOf(api, api.submit(model("wanted")))).isEqualTo("[1]");
        eventually("all cards are free", () -> free(api) == 2);
        assertThat(cardsOf(api, api.submit(TaskBuilder.oneGpu("true")))).isEqualTo("[0]");
    }

    @Test
    void aGpuScoresByModelAffinity(ServerHarness harness) {
        var api = harness.simulatedGpus(3).start();
        load(api, "wanted", 0);
        load(api, "other", 1);
        load(api, "other", 2);
        load(api, "third", 2);

        long draft = api.submit(model("wanted").with("draft", true));

        assertThat(scores(api, draft, "model_affinity_score")).containsExactly(100.0, 50.0, 0.0);
    }

    @Test
    void theBalanceOfAGpuIsTheSumOfItsFourParts(ServerHarness harness) {
        var smi = new FakeNvidiaSmi(harness);
        smi.removeGpu(FakeNvidiaSmi.B);
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(0, 24_000, 12_000, 40, 45));
        var api = harness.start();
        assertThat(cardsOf(api, api.submit(TaskBuilder.oneGpu("true").with("memory_gb", 1))))
                .isEqualTo("[0]");
        eventually(
                "the release of the GPU is recorded",
                () -> !api.gpus().getFirst().path("released_at").isNull());
        long draft = api.submit(TaskBuilder.oneGpu("true").with("draft", true));

        var card = card(api, draft, 0);
        var parts = card.path("scores").path("balanced").path("parts");
        double idle = parts.path("idle").asDouble();

        assertThat(parts.path("memory").asDouble()).isCloseTo(20.0, EXACTLY);
        assertThat(parts.path("utilization").asDouble()).isCloseTo(18.0, EXACTLY);
        assertThat(parts.path("coolness").asDouble()).isCloseTo(11.0, EXACTLY);
        assertThat(idle).as("a sixtieth for each second").isBetween(0.0, 1.0);
        assertThat(card.path("load_balance_score").asDouble()).isCloseTo(49.0 + idle, EXACTLY);
        assertThat(card.path("scores").path("balanced").path("total").asDouble())
                .isCloseTo(99.0 + idle, EXACTLY);
        eventually(
                "it grows while the card is idle",
                () -> card(api, draft, 0).path("load_balance_score").asDouble() > 49.0 + idle);
    }

    /** GPU 0 has the most free memory, GPU 1 the best balance, and GPU 2 no load. */
    @ParameterizedTest
    @CsvSource({"best_score, 0", "balanced, 1", "sampling, 2"})
    void eachSelectorHasACardOfItsOwn(String selector, int expected, ServerHarness harness) {
        var smi = new FakeNvidiaSmi(harness);
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(0, 80_000, 70_000, 30, 60));
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(1, 24_000, 24_000, 5, 30));
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(2, 24_000, 20_000, 0, 70));
        var api = harness.configure("gpu_selector: " + selector + "\n").start();
        long draft = api.submit(TaskBuilder.oneGpu("true").with("draft", true));

        assertThat(api.placement(draft).path("selector").asString()).isEqualTo(selector);
        assertThat(IntStream.range(0, 3).filter(i -> isChosen(api, draft, i)))
                .containsExactly(expected);
        assertThat(scores(api, draft, "score"))
                .isEqualTo(
                        cards(api, draft).stream()
                                .map(card -> card.path("scores").path(selector).path("total"))
                                .map(JsonNode::asDouble)
                                .toList());
        assertThat(cardsOf(api, api.submit(TaskBuilder.oneGpu("true"))))
                .isEqualTo("[" + expected + "]");
    }

    @Test
    void tasksThatShareRunTogetherAsLongAsTheirMemoryFits(ServerHarness harness) {
        var api = harness.options("--gpus", "sim:1x49152", "--auth", "none").start();
        var gate = new CommandGate(harness.file("gate"));
        var order = TaskBuilder.oneGpu(gate.command()).with("memory_gb", 20).with("share", true);
        long first = api.submit(order);
        long second = api.submit(order);
        api.awaitPhase(first, "running");
        api.awaitPhase(second, "running");
        long third = api.submit(order);

        var gpu = api.gpus().getFirst();
        assertThat(gpu.path("task_ids").toString()).isEqualTo("[%d,%d]".formatted(first, second));
        assertThat(gpu.path("assigned_task_id").asLong()).isEqualTo(first);
        assertThat(api.status(third)).isEqualTo("queued");
        assertThat(api.waitReasonCodes(third)).contains("card.memory_short");
        gate.open();
        assertThat(api.awaitEnd(third).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void aTaskThatDoesNotShareIsAloneOnItsGpu(ServerHarness harness) {
        var api = harness.options("--gpus", "sim:1x49152", "--auth", "none").start();
        var gate = new CommandGate(harness.file("gate"));
        long sharing =
                api.submit(
                        TaskBuilder.oneGpu(gate.command())
                                .with("memory_gb", 1)
                                .with("share", true));
        api.awaitPhase(sharing, "running");

        long alone = api.submit(TaskBuilder.oneGpu("true").with("memory_gb", 1));

        assertThat(api.waitReasonCodes(alone)).contains("card.held");
        var refused =
                api.client().post("/api/tasks", TaskBuilder.oneGpu("x").with("share", true).body());
        assertThat(refused.expect(422).path("field").asString()).isEqualTo("share");
        gate.open();
        assertThat(api.awaitEnd(alone).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void aRangeOfGpusTakesWhatIsFreeBetweenItsBounds(ServerHarness harness) {
        var api = harness.simulatedGpus(4).start();
        var range = TaskBuilder.oneGpu("true").with("gpu_count", "2-4");
        var gates = new ArrayList<CommandGate>();
        for (int free = 4; free >= 2; free--) {
            int expected = free;
            eventually(expected + " are free", () -> free(api) == expected);
            var task = api.awaitEnd(api.submit(range));
            assertThat(TestApi.list(task.path("assigned_gpus"))).hasSize(expected);
            assertThat(task.path("min_gpu").asInt()).isEqualTo(2);
            assertThat(task.path("max_gpu").asInt()).isEqualTo(4);
            var gate = new CommandGate(harness.file("gate" + free));
            gates.add(gate);
            var last = Integer.toString(free - 1);
            long holder = api.submit(TaskBuilder.oneGpu(gate.command()).with("devices", last));
            api.awaitPhase(holder, "running");
        }

        eventually("one is free", () -> free(api) == 1);
        long waiting = api.submit(range);
        assertThat(api.waitReasonCodes(waiting)).contains("cards.short", "card.held");
        gates.getFirst().open();
        assertThat(TestApi.list(api.awaitEnd(waiting).path("assigned_gpus"))).hasSize(2);
        gates.forEach(CommandGate::open);
    }

    private static TaskBuilder model(String name) {
        return TaskBuilder.oneGpu("true").with("model_name", name);
    }

    /** Uses a model on a GPU and waits until the GPU is free again. */
    private static void load(TestApi api, String model, int card) {
        api.awaitEnd(api.submit(model(model).with("devices", Integer.toString(card))));
        eventually("the card is free", () -> api.gpus().get(card).path("is_free").asBoolean());
    }

    private static long free(TestApi api) {
        return api.gpus().stream().filter(gpu -> gpu.path("is_free").asBoolean()).count();
    }

    private static boolean isChosen(TestApi api, long task, int index) {
        return card(api, task, index).path("chosen").asBoolean();
    }

    private static String cardsOf(TestApi api, long task) {
        return api.awaitEnd(task).path("assigned_gpus").toString();
    }

    private static JsonNode card(TestApi api, long task, int index) {
        return cards(api, task).get(index);
    }

    private static List<JsonNode> cards(TestApi api, long task) {
        return TestApi.list(api.placement(task).path("gpus"));
    }

    private static List<Double> scores(TestApi api, long task, String field) {
        return cards(api, task).stream().map(card -> card.path(field).asDouble()).toList();
    }
}
