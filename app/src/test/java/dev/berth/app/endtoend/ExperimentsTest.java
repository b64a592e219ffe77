package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Drafts: created, queued, started manually, and reported through the experiments API. */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ExperimentsTest {

    private static final FakeNvidiaSmi.GpuOutput FIRST =
            new FakeNvidiaSmi.GpuOutput(0, 24_000, 24_000, 0, 40);
    private static final FakeNvidiaSmi.GpuOutput SECOND =
            new FakeNvidiaSmi.GpuOutput(1, 24_000, 24_000, 0, 40);
    private static final FakeNvidiaSmi.GpuOutput FIRST_FULL =
            new FakeNvidiaSmi.GpuOutput(0, 24_000, 2_400, 0, 40);

    private static final int CALLERS = 20;
    private static final int ROUNDS = 5;

    private final ServerHarness harness;
    private final FakeNvidiaSmi smi;
    private final TestApi api;
    private CommandGate gate;
    private int gates;

    ExperimentsTest(ServerHarness harness) {
        this.harness = harness;
        this.smi = new FakeNvidiaSmi(harness);
        smi.addGpu(FIRST);
        smi.addGpu(SECOND);
        this.api = harness.start();
    }

    @BeforeEach
    void stage() {
        gate = new CommandGate(harness.file("gate" + gates++));
        show(FIRST);
        eventually(
                "all cards are free",
                () -> api.gpus().stream().allMatch(gpu -> gpu.path("is_free").asBoolean()));
    }

    @AfterEach
    void letGo() {
        gate.open();
        eventually("nobody runs or waits", () -> api.tasks().stream().allMatch(this::isIdle));
    }

    private boolean isIdle(JsonNode task) {
        var status = task.path("status").asString();
        return !status.equals("running") && !status.equals("queued");
    }

    @Test
    void aDraftIsNotStartedHoweverManyGpusAreFree() {
        long experiment = draft("0");
        var order = TaskBuilder.oneGpu("true").with("draft", true);
        long task = api.submit(order);

        for (int i = 0; i < 3; i++) {
            assertThat(
                            api.awaitEnd(api.submit(TaskBuilder.oneGpu("true")))
                                    .path("status")
                                    .asString())
                    .isEqualTo("completed");
        }

        assertThat(List.of(experiment, task)).allMatch(id -> api.status(id).equals("pending"));
        assertThat(api.task(task).path("phase").asString()).isEqualTo("pending");
        assertThat(api.task(task).path("score").isNull()).isTrue();
        assertThat(TestApi.list(api.task(task).path("attempts"))).isEmpty();
    }

    @Test
    void aDraftStartsManuallyOnAFreeGpuAndNotOnABusyOne() {
        show(FIRST_FULL);
        long busy = draft("0");

        var refused = start(busy, "{}");

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("success").asBoolean(true)).isFalse();
        assertThat(refused.json().path("code").asString()).isEqualTo("start.busy");
        assertThat(refused.json().path("message").asString()).contains("GPU 0").contains("21600");
        assertThat(TestApi.list(refused.json().path("reasons"))).isNotEmpty();
        assertThat(api.status(busy)).isEqualTo("pending");

        long free = draft("1");
        var started = start(free, "{}");
        assertThat(started.status()).isEqualTo(200);
        assertThat(started.body().strip())
                .isEqualTo(
                        """
                        {"success":true,"message":"实验已启动","experiment":{"id":%d,"status":"running"}}\
                        """
                                .formatted(free));
        api.awaitPhase(free, "running");
        assertThat(start(free, "{}").json().path("code").asString()).isEqualTo("task.not_pending");
    }

    @Test
    void aForcedStartTakesABusyGpuButNeverOneThatAnotherTaskHas() {
        show(FIRST_FULL);
        long forced = draft("0");
        assertThat(start(forced, "{\"force_start\":false}").status()).isEqualTo(409);

        assertThat(start(forced, "{\"force_start\":true}").status()).isEqualTo(200);

        api.awaitPhase(forced, "running");
        assertThat(api.task(forced).path("assigned_gpus").toString()).isEqualTo("[0]");
        long second = draft("0");
        var refused = start(second, "{\"force_start\":true}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("message").asString()).contains("task " + forced);
        assertThat(api.status(second)).isEqualTo("pending");
    }

    @Test
    void aDraftJoinsTheQueueOnceAndTheAnswerIsTheAgreedOne() {
        hold("0");
        long id = draft("0");

        var queued = queue(id);

        assertThat(queued.status()).isEqualTo(200);
        assertThat(queued.body().strip())
                .isEqualTo(
                        """
                        {"success":true,"message":"实验已加入队列","experiment":{"id":%d,"status":"queued"}}\
                        """
                                .formatted(id));
        assertThat(api.status(id)).isEqualTo("queued");
        var again = queue(id);
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().path("success").asBoolean(true)).isFalse();
        assertThat(again.json().path("code").asString()).isEqualTo("task.not_pending");
        var unknown = queue(999_999);
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.json().path("success").asBoolean(true)).isFalse();
        gate.open();
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        assertThat(queue(id).status()).isEqualTo(409);
    }

    @Test
    void theQueueIsReportedByGroupsOfDevicesAndEmptyOnesAreLeftOut() {
        var none = queueStatus();
        assertThat(none.propertyNames())
                .containsExactly("scheduler_running", "user_queued_count", "device_groups");
        assertThat(none.path("scheduler_running").asBoolean()).isTrue();
        assertThat(none.path("device_groups").toString()).isEqualTo("{}");
        hold("0,1");
        long first = queued("0");
        long second = queued("0");
        long any = queued(null);

        var told = queueStatus();

        assertThat(told.path("user_queued_count").asInt()).isEqualTo(3);
        var groups = told.path("device_groups");
        assertThat(groups.propertyNames()).containsExactlyInAnyOrder("0", "auto");
        assertThat(groups.path("0").path("count").asInt()).isEqualTo(2);
        assertThat(groups.path("auto").path("count").asInt()).isEqualTo(1);
        var experiments = TestApi.list(groups.path("0").path("experiments"));
        assertThat(experiments.stream().map(one -> one.path("id").asLong()))
                .containsExactly(first, second);
        assertThat(experiments.stream().map(one -> one.path("position").asInt()))
                .containsExactly(0, 1);
        assertThat(groups.path("auto").path("experiments").get(0).path("id").asLong())
                .isEqualTo(any);
        assertThat(experiments.getFirst().propertyNames())
                .containsExactly("id", "name", "status", "created_at", "wait_seconds", "position");
        assertThat(experiments.getFirst().path("status").asString()).isEqualTo("queued");
        double waited = experiments.getFirst().path("wait_seconds").asDouble();
        eventually("the wait grows", () -> waitOfTheFirst() > waited);
    }

    private double waitOfTheFirst() {
        var group = queueStatus().path("device_groups").path("0");
        return group.path("experiments").get(0).path("wait_seconds").asDouble();
    }

    @Test
    void howeverManyStartADraftItRunsOnce() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            var runs = harness.file("runs" + round);
            long id = draft("1", "echo ran >> " + runs);
            var calls = new ArrayList<Callable<Integer>>();
            for (int i = 0; i < CALLERS; i++) {
                calls.add(() -> start(id, "{}").status());
            }
            // Another free GPU lets the scheduler start it.
            calls.add((round * CALLERS) / ROUNDS, () -> queue(id).status());
            try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
                var answers =
                        callers.invokeAll(calls).stream().map(ExperimentsTest::answer).toList();
                assertThat(answers.stream().filter(status -> status == 200)).hasSize(1);
                assertThat(answers.stream().filter(status -> status == 409)).hasSize(CALLERS);
            }
            var task = api.awaitEnd(id);
            assertThat(task.path("status").asString()).isEqualTo("completed");
            assertThat(TestApi.list(task.path("attempts"))).hasSize(1);
            assertThat(Files.readAllLines(runs)).containsExactly("ran");
            eventually("the card is free", () -> api.gpus().get(1).path("is_free").asBoolean());
        }
    }

    @Test
    void neitherAFilledGpuNorACancelledTaskIsLaunched() throws IOException {
        var ran = harness.file("launched");
        var first = TaskBuilder.oneGpu("echo first >> " + ran).with("devices", "0");
        var second = TaskBuilder.oneGpu("echo second >> " + ran).with("devices", "1");
        var decided = harness.failpoint("engine.after-commit").arm();
        var launching = harness.failpoint("node.before-directory").arm();
        var batch = "[" + first.body() + "," + second.body() + "]";
        var submitted =
                CompletableFuture.supplyAsync(
                        () -> api.client().post("/api/tasks/batch", batch).expect(201),
                        Thread::startVirtualThread);
        decided.awaitHit();
        long asked = smi.calls();
        smi.addGpu(FIRST_FULL);
        eventually("the card was read since", () -> smi.calls() >= asked + 3);
        decided.release();
        var ids =
                TestApi.list(submitted.join().path("ids")).stream().map(JsonNode::asLong).toList();
        launching.awaitHit();
        api.cancel(ids.getLast());
        launching.release();

        assertThat(api.awaitEnd(ids.getLast()).path("status").asString()).isEqualTo("cancelled");
        eventually(
                "the first is back at its place",
                () ->
                        api.events("task.requeued").stream()
                                .anyMatch(one -> one.path("task_id").asLong() == ids.getFirst()));
        assertThat(api.status(ids.getFirst())).isEqualTo("queued");
        assertThat(api.task(ids.getFirst()).path("position").asInt(-1)).isZero();
        assertThat(ran).doesNotExist();
        show(FIRST);
        assertThat(api.awaitEnd(ids.getFirst()).path("status").asString()).isEqualTo("completed");
        assertThat(Files.readAllLines(ran)).containsExactly("first");
    }

    private static int answer(Future<Integer> call) {
        try {
            return call.get();
        } catch (ExecutionException e) {
            throw new AssertionError("a call failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private void show(FakeNvidiaSmi.GpuOutput card) {
        smi.addGpu(card);
        eventually(
                "the card is read",
                () -> api.gpus().get(card.index()).path("memory_free_mb").asLong() == card.free());
    }

    /** A Berth task holds these GPUs until the gate opens. */
    private void hold(String devices) {
        int count = devices.split(",").length;
        long id = api.submit(TaskBuilder.gpus(count, gate.command()).with("devices", devices));
        api.awaitPhase(id, "running");
    }

    private long queued(String devices) {
        long id = draft(devices);
        queue(id).expect(200);
        return id;
    }

    private long draft(String devices) {
        return draft(devices, gate.command());
    }

    private long draft(String devices, String command) {
        var order = TaskBuilder.oneGpu(command).with("devices", devices);
        var made = api.client().post("/experiments/", order.body()).expect(201);
        assertThat(made.path("status").asString()).isEqualTo("pending");
        return made.path("id").asLong();
    }

    private TestClient.TestReply queue(long id) {
        return api.client().post("/experiments/" + id + "/queue/", "");
    }

    private TestClient.TestReply start(long id, String body) {
        return api.client().post("/experiments/" + id + "/start/", body);
    }

    private JsonNode queueStatus() {
        return api.client().get("/experiments/queue-status/").expect(200);
    }
}
