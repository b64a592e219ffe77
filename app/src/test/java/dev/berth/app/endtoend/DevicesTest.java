package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Tasks that name their GPUs, and the queues in which they wait. */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DevicesTest {

    private static final int USABLE = 3;

    private final ServerHarness harness;
    private final TestApi api;
    private final List<CommandGate> gates = new ArrayList<>();

    /** Four GPUs; the last one is reserved. */
    DevicesTest(ServerHarness harness) {
        this.harness = harness;
        this.api = harness.configure("reserved_gpu_ids: [3]\n").start();
    }

    @BeforeEach
    void allCardsAreFree() {
        eventually("nobody holds a card", () -> api.holders().isEmpty() && areFree());
    }

    private boolean areFree() {
        return api.gpus().stream().limit(USABLE).allMatch(gpu -> gpu.path("is_free").asBoolean());
    }

    @AfterEach
    void openTheGates() {
        gates.forEach(CommandGate::open);
    }

    @ParameterizedTest(name = "{0} is given {2}")
    @CsvSource({
        "'0', '0', '[0]'",
        "'0,1', '0,1', '[0,1]'",
        "'0,1,2', '0,1,2', '[0,1,2]'",
        "'auto', 'auto', '[0]'",
        ", 'auto', '[0]'",
        "'cpu', 'cpu', '[]'",
        "' 1,0 ', '0,1', '[0,1]'",
        "'2 , 1', '1,2', '[1,2]'",
    })
    void aTaskIsGivenTheCardsItNames(String stated, String shown, String given) {
        var body = TestClient.JSON.createObjectNode().put("name", "x").put("command", "true");
        body.put("devices", stated);
        var taken = api.client().post("/api/tasks", body.toString()).expect(201);

        var task = api.awaitEnd(taken.path("id").asLong());

        assertThat(taken.path("devices").asString()).isEqualTo(shown);
        assertThat(task.path("status").asString()).isEqualTo("completed");
        assertThat(task.path("assigned_gpus").toString()).isEqualTo(given);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0,0", "-1", "99", "4", "gpu", "", " ", "0,", "0;1", "0,auto", "1.5"})
    void whatNamesNoCardIsRefusedWithTheReason(String devices) {
        var order = TaskBuilder.oneGpu("true").with("devices", devices);

        var refused = api.client().post("/api/tasks", order.body()).expect(422);

        assertThat(refused.path("field").asString()).isEqualTo("devices");
        assertThat(refused.path("detail").asString()).isNotBlank();
    }

    @Test
    void aReservedGpuCannotBeNamedNorAnotherCountThanThatOfTheNamed() {
        var reserved = TaskBuilder.oneGpu("true").with("devices", "3").body();
        assertThat(api.client().post("/api/tasks", reserved).expect(400).path("field").asString())
                .isEqualTo("devices");
        var counted = TaskBuilder.gpus(3, "true").with("devices", "0,1").body();
        assertThat(api.client().post("/api/tasks", counted).expect(422).path("field").asString())
                .isEqualTo("gpu_count");
    }

    @Test
    void severalNamedGpusAreTakenTogetherWhenAllAreFree() {
        var busy = gate();
        var both = gate();
        api.awaitPhase(api.submit(on("1", busy.command())), "running");
        long pair =
                api.submit(
                        TaskBuilder.gpus(2, "echo sees $CUDA_VISIBLE_DEVICES\n" + both.command())
                                .with("devices", "0,1"));
        assertThat(api.waitReasonCodes(pair)).contains("cards.short", "card.held");
        assertThat(api.gpus().getFirst().path("assigned_task_id").isNull()).isTrue();

        busy.open();
        api.awaitPhase(pair, "running");

        assertThat(api.holders()).containsExactly(pair, pair);
        long one = api.submit(on("1", "true"));
        assertThat(api.waitReasonCodes(one)).contains("card.held");
        both.open();
        api.awaitEnd(pair);
        assertThat(api.log(pair, 100)).contains("sees 0,1");
        assertThat(api.awaitEnd(one).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void aQueueDoesNotWaitForAnother() {
        var gate = gate();
        api.awaitPhase(api.submit(on("0", gate.command())), "running");
        long behind = api.submit(on("0", "true"));

        long beside = api.submit(on("1", "true"));

        assertThat(api.awaitEnd(beside).path("assigned_gpus").toString()).isEqualTo("[1]");
        assertThat(api.status(behind)).isEqualTo("queued");
        assertThat(api.waitReasonCodes(behind)).containsExactly("cards.short", "card.held");
        assertThat(TestApi.list(api.placement(behind).path("gpus")).stream().limit(USABLE))
                .extracting(gpu -> gpu.path("refusal").path("code").asString())
                .containsExactly("card.held", "card.not_named", "card.not_named");
        gate.open();
        assertThat(api.awaitEnd(behind).path("assigned_gpus").toString()).isEqualTo("[0]");
    }

    @Test
    void aNamedGpuServesOneAfterTheOther() {
        var times = new GpuTimeline(harness.file("times"));
        var ids =
                IntStream.range(0, USABLE)
                        .mapToLong(
                                i ->
                                        api.submit(
                                                times.recordedTask("named" + i, 1, "sleep 0.05")
                                                        .with("devices", "0")))
                        .toArray();

        LongStream.of(ids).forEach(api::awaitEnd);

        times.assertNoTwoTasksWereOnOneGpu();
        assertThat(times.starts()).hasSize(USABLE);
        assertThat(api.startOrder()).containsSubsequence(LongStream.of(ids).boxed().toList());
    }

    @Test
    void anyGpusAndNoGpuServeAllWhoWaitAtOnce() {
        var gate = gate();
        var stopped = api.client().post("/api/scheduler/stop", "").expect(200);
        assertThat(stopped.path("running").asBoolean()).isFalse();
        var ids =
                IntStream.range(0, USABLE)
                        .boxed()
                        .flatMap(
                                _ ->
                                        List.of(
                                                api.submit(TaskBuilder.oneGpu(gate.command())),
                                                api.submit(TaskBuilder.cpu(gate.command())))
                                                .stream())
                        .toList();
        assertThat(ids).allMatch(id -> api.status(id).equals("queued"));

        api.client().post("/api/scheduler/start", "").expect(200);

        ids.forEach(id -> api.awaitPhase(id, "running"));
        gate.open();
        ids.forEach(api::awaitEnd);
    }

    private CommandGate gate() {
        gates.add(new CommandGate(harness.file("gate" + gates.size())));
        return gates.getLast();
    }

    private static TaskBuilder on(String devices, String command) {
        return TaskBuilder.oneGpu(command).with("devices", devices);
    }
}
