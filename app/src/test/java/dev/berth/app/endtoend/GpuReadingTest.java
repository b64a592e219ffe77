package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** GPUs as their driver reports them, and a driver that fails. */
@ExtendWith(ServerHarnessExtension.class)
final class GpuReadingTest {

    private static final int MANY = 100;

    private ServerHarness harness;
    private FakeNvidiaSmi smi;

    @BeforeEach
    void stage(ServerHarness given) {
        harness = given;
        smi = new FakeNvidiaSmi(harness);
    }

    @Test
    void theListFollowsTheDriverAndAsksItOnceASecond() {
        var api = harness.start();
        var gpu = api.gpus().getFirst();
        assertThat(gpu.path("uuid").asString()).isEqualTo(FakeNvidiaSmi.A);
        assertThat(gpu.path("name").asString()).isEqualTo("Fake 100G");
        assertThat(gpu.path("utilization").asInt()).isEqualTo(7);
        assertThat(gpu.path("temperature_c").asInt()).isEqualTo(41);
        assertThat(gpu.path("status").asString()).isEqualTo("free");

        smi.addGpu(FakeNvidiaSmi.A, 0, "31000");
        eventually("the new figure is shown", () -> used(api, 0) == 31_000);
        assertThat(api.gpus().getFirst().path("status").asString()).isEqualTo("busy");

        smi.addGpu(FakeNvidiaSmi.A, 0, "[N/A]");
        eventually("what is not known is null", () -> status(api, 0).equals("unknown"));
        assertThat(api.gpus().getFirst().path("memory_used_mb").isNull()).isTrue();
        assertThat(status(api, 1)).isEqualTo("free");

        long before = smi.calls();
        long begun = System.nanoTime();
        eventually("it is read again and again", () -> smi.calls() - before >= 4);
        long asked = smi.calls() - before;
        long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertThat(asked).as("in %d s, once a second", seconds).isLessThanOrEqualTo(seconds + 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fail", "hang", "garbage"})
    void aDriverThatDoesNotAnswerMakesCardsUnknownAndStopsNothingElse(String mode) {
        var api = harness.start();
        long running = api.submit(untilTheGateOpens());
        api.awaitPhase(running, "running");

        smi.setMode(mode);
        eventually("no card can be read", () -> all(api, "unknown"));
        assertThat(api.gpus())
                .allSatisfy(gpu -> assertThat(gpu.path("why").asString()).isNotEmpty());
        assertThat(holderOf(api, running)).as("its holder is still shown").isTrue();
        eventually("health says so", () -> api.client().get("/api/health").status() == 503);

        long waiting = api.submit(TaskBuilder.oneGpu("true").with("gpu_type", "Fake 100G"));
        assertThat(api.task(waiting).path("wait_reasons").toString()).contains("card.unreadable");
        assertThat(
                        api.client()
                                .post(
                                        "/api/tasks",
                                        TaskBuilder.oneGpu("true").with("gpu_type", "H1").body()))
                .satisfies(answer -> assertThat(answer.body()).contains("Fake 100G"));
        long questions = smi.calls();
        for (int i = 0; i < MANY; i++) {
            api.submit(TaskBuilder.cpu("true"));
            api.tasks();
            api.gpus();
        }
        assertThat(smi.calls() - questions).as("no call asks the driver").isLessThan(MANY);
        assertThat(api.awaitEnd(api.submit(TaskBuilder.cpu("true"))).path("status").asString())
                .isEqualTo("completed");

        assertThat(outstanding()).as("never a second question beside the first").isLessThan(2);

        TaskLifecycleTest.touch(harness.file("gate"));
        assertThat(api.awaitEnd(running).path("status").asString()).isEqualTo("completed");
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.events("alert.gpus_unreadable")).hasSize(1);
        assertThat(
                        harness.server()
                                .stderr()
                                .lines()
                                .filter(line -> line.contains(" the GPUs cannot be read, ")))
                .as("one warning, not one a second")
                .hasSize(1);

        smi.setMode("ok");
        assertThat(api.awaitEnd(waiting).path("status").asString()).isEqualTo("completed");
        eventually("all cards are free", () -> all(api, "free"));
        assertThat(api.events("alert.gpus_readable")).hasSize(1);
        assertThat(api.client().get("/api/health").status()).isEqualTo(200);
    }

    private long outstanding() {
        return ProcessHandle.of(harness.server().pid())
                .orElseThrow()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains("nvidia-smi"))
                .count();
    }

    @Test
    void aGpuThatIsMissingOnceChangesNothing() {
        var api = harness.start();
        var seen = new ArrayList<String>();
        eventually("all cards are free", () -> all(api, "free"));
        smi.removeGpuOnce(FakeNvidiaSmi.B);
        long begun = smi.calls();
        eventually(
                "it was asked four times more",
                () -> {
                    seen.add(status(api, 1));
                    return smi.calls() >= begun + 4;
                });
        assertThat(seen).containsOnly("free");
        assertThat(api.events("alert.gpu_error")).isEmpty();
    }

    @Test
    void aGpuThatIsGoneFailsItsTaskAndAlertsOnceAndOthersGoOn() {
        var api = harness.start();
        long first = api.submit(untilTheGateOpens());
        long second = api.submit(untilTheGateOpens());
        api.awaitPhase(first, "running");
        api.awaitPhase(second, "running");
        int lost = api.task(first).path("assigned_gpus").get(0).asInt();

        smi.removeGpu(lost == 0 ? FakeNvidiaSmi.A : FakeNvidiaSmi.B);
        eventually("it is in error", () -> status(api, lost).equals("error"));
        var failed = api.awaitEnd(first);
        assertThat(failed.path("status").asString()).isEqualTo("failed");
        assertThat(failed.path("error").asString()).startsWith("GPU error: ");
        assertThat(api.status(second)).isEqualTo("running");
        assertThat(status(api, 1 - lost)).isEqualTo("busy");
        long waiting = api.submit(TaskBuilder.oneGpu("true"));
        assertThat(api.task(waiting).path("wait_reasons").toString()).contains("card.error");
        assertThat(api.events("alert.gpu_error"))
                .singleElement()
                .satisfies(
                        event ->
                                assertThat(event.path("data").path("gpu_id").asString())
                                        .isEqualTo(Integer.toString(lost)));

        smi.addGpu(lost == 0 ? FakeNvidiaSmi.A : FakeNvidiaSmi.B, lost, "0");
        assertThat(api.awaitEnd(waiting).path("status").asString()).isEqualTo("completed");
        assertThat(api.events("alert.gpu_returned")).hasSize(1);
        TaskLifecycleTest.touch(harness.file("gate"));
        assertThat(api.awaitEnd(second).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void renumberedGpusKeepTheirTasksAndGiveTheirNewNumbers() {
        var api = harness.start();
        long running = api.submit(untilTheGateOpens());
        api.awaitPhase(running, "running");
        int held = api.task(running).path("assigned_gpus").get(0).asInt();
        smi.addGpu(FakeNvidiaSmi.A, 1, "0");
        smi.addGpu(FakeNvidiaSmi.B, 0, "0");
        eventually("the other one is first", () -> uuid(api, 0).equals(FakeNvidiaSmi.B));
        var gpu = api.gpus().get(1 - held);
        assertThat(gpu.path("assigned_task_id").asLong()).isEqualTo(running);
        long next = api.submit(TaskBuilder.oneGpu("echo sees $CUDA_VISIBLE_DEVICES"));
        api.awaitEnd(next);
        assertThat(api.log(next, 20)).contains("sees " + held);
        assertThat(api.gpus()).hasSize(2);
        TaskLifecycleTest.touch(harness.file("gate"));
        api.awaitEnd(running);
    }

    private TaskBuilder untilTheGateOpens() {
        return TaskBuilder.oneGpu(
                "until [[ -e " + harness.file("gate") + " ]]; do sleep 0.02; done");
    }

    private static boolean holderOf(TestApi api, long task) {
        return api.gpus().stream()
                .flatMap(gpu -> TestApi.list(gpu.path("holders")).stream())
                .anyMatch(holder -> holder.path("task_id").asLong() == task);
    }

    private static boolean all(TestApi api, String status) {
        return api.gpus().stream().allMatch(gpu -> gpu.path("status").asString().equals(status));
    }

    private static JsonNode gpu(TestApi api, int index) {
        List<JsonNode> gpus = api.gpus();
        return gpus.get(index);
    }

    private static String status(TestApi api, int index) {
        return gpu(api, index).path("status").asString();
    }

    private static String uuid(TestApi api, int index) {
        return gpu(api, index).path("uuid").asString();
    }

    private static long used(TestApi api, int index) {
        return gpu(api, index).path("memory_used_mb").asLong(-1);
    }
}
