package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.util.List;

/** GPUs that fail one after another, and the reports about it. */
@ExtendWith(ServerHarnessExtension.class)
final class FaultyGpusTest {

    private static final String OOM =
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.";

    private ServerHarness harness;
    private FakeNvidiaSmi smi;
    private TestApi api;

    @BeforeEach
    void stage(ServerHarness given) {
        harness = given;
        smi = new FakeNvidiaSmi(harness);
    }

    @Test
    void aMissingGpuIsTwoAlertsAndAUserReturnsItToUse() {
        api =
                harness.env("BERTH_GPU_RECOVERY_SECONDS", "6")
                        .env("BERTH_MESSAGE_LANGUAGE", "zh-CN")
                        .start();
        long there = api.submit(untilTheGateOpens().with("devices", "0"));
        long beside = api.submit(untilTheGateOpens().with("devices", "1"));
        api.awaitPhase(there, "running");
        api.awaitPhase(beside, "running");

        smi.removeGpu(FakeNvidiaSmi.A);
        eventually("it is given up", () -> stage(0).equals("out"));
        assertThat(api.awaitEnd(there).path("error").asString())
                .isEqualTo("GPU error: the driver no longer lists it");
        assertThat(types()).containsExactly("gpu_unrecoverable", "gpu_error");
        var alert = alerts().get(1);
        assertThat(alert.path("level").asString()).isEqualTo("CRITICAL");
        assertThat(alert.path("message").asString()).isEqualTo("GPU 0 发生错误: 驱动不再列出该 GPU");
        assertThat(alert.path("details").path("gpu_id").asInt()).isZero();
        assertThat(alert.path("details").path("error").asString())
                .isEqualTo("the driver no longer lists it");
        assertThat(alerts().getFirst().path("level").asString()).isEqualTo("CRITICAL");

        smi.addGpu(FakeNvidiaSmi.A, 0, "0");
        eventually("it is listed again", () -> !gpu(0).path("memory_used_mb").isNull());
        assertThat(status(0)).as("a person is awaited").isEqualTo("error");
        api.client().post("/api/gpus/0/recover", "");
        eventually("it passed its test", () -> status(0).equals("free"));
        long again = api.submit(TaskBuilder.oneGpu("true").with("devices", "0"));
        assertThat(api.awaitEnd(again).path("status").asString()).isEqualTo("completed");
        assertThat(types()).containsExactly("gpu_returned", "gpu_unrecoverable", "gpu_error");
        assertThat(api.status(beside)).isEqualTo("running");
        TaskLifecycleTest.touch(harness.file("gate"));
        api.awaitEnd(beside);
    }

    @Test
    void signsOfTheHardwareTakeOutOneGpuAndWhatIsOnlyUnreadableGoesOn() {
        api = harness.start();
        long there = api.submit(untilTheGateOpens().with("devices", "0"));
        long beside = api.submit(untilTheGateOpens().with("devices", "1"));
        api.awaitPhase(there, "running");
        api.awaitPhase(beside, "running");

        smi.logXid(FakeNvidiaSmi.B, 13);
        smi.addUnreadable(FakeNvidiaSmi.B, 1, "[Unknown Error]");
        eventually("an alert is raised", () -> types().equals(List.of("gpu_unreadable")));
        assertThat(status(1)).isEqualTo("unknown");
        assertThat(api.status(beside)).isEqualTo("running");
        smi.addGpu(FakeNvidiaSmi.B, 1, "0");
        eventually("it can be read", () -> types().getFirst().equals("gpu_readable"));

        // The PCI address of a GPU is known only after the first health query.
        eventually(
                "it is out",
                () -> {
                    smi.logXid(FakeNvidiaSmi.A, 79);
                    return status(0).equals("error");
                });
        assertThat(api.awaitEnd(there).path("error").asString()).contains("Xid 79");
        eventually("it passed its test", () -> status(0).equals("free"));
        assertThat(types())
                .containsExactly("gpu_returned", "gpu_error", "gpu_readable", "gpu_unreadable");
        assertThat(api.status(beside)).isEqualTo("running");
        TaskLifecycleTest.touch(harness.file("gate"));
        api.awaitEnd(beside);
    }

    @Test
    void aTaskThatRunsOutOfMemoryIsReportedAsSuchAndTheNextAsksForMore() {
        api = harness.start();
        for (var estimate : List.of("4800", "5760")) {
            var failed = api.awaitEnd(api.submit(ending(1)));
            assertThat(failed.path("error").asString()).isEqualTo("CUDA out of memory");
            assertThat(failed.path("error_type").asString()).isEqualTo("oom");
            assertThat(failed.path("diagnosis").path("line").asString()).isEqualTo(OOM);
            assertThat(
                            api.events("estimate.raised")
                                    .getLast()
                                    .path("data")
                                    .path("to_mib")
                                    .asString())
                    .isEqualTo(estimate);
        }
        eventually("it is free again", () -> status(0).equals("free"));

        var well = api.awaitEnd(api.submit(ending(0)));
        assertThat(well.path("status").asString()).isEqualTo("completed");
        assertThat(well.path("diagnosis").isNull()).isTrue();
        assertThat(api.events("estimate.raised")).hasSize(2);

        long slow = api.submit(TaskBuilder.oneGpu("echo epoch 3/9; " + untilTheGate()));
        eventually(
                "its progress is seen",
                () -> api.task(slow).path("progress").path("percent").asInt() == 33);
        harness.kill();
        api = harness.restart();
        eventually(
                "it is seen again",
                () -> api.task(slow).path("progress").path("percent").asInt() == 33);
        var third = api.awaitEnd(api.submit(ending(1)));
        assertThat(third.path("error_type").asString()).isEqualTo("oom");
        assertThat(api.events("estimate.raised").getLast().path("data").path("from_mib").asString())
                .as("what was learned outlives a server")
                .isEqualTo("5760");
        TaskLifecycleTest.touch(harness.file("gate"));
        api.awaitEnd(slow);
    }

    /** Prints an error of PyTorch and exits with this code. */
    private static TaskBuilder ending(int code) {
        return TaskBuilder.oneGpu("echo '" + OOM + "'; exit " + code).with("model_name", "m");
    }

    private TaskBuilder untilTheGateOpens() {
        return TaskBuilder.oneGpu(untilTheGate());
    }

    private String untilTheGate() {
        return "until [[ -e " + harness.file("gate") + " ]]; do sleep 0.02; done";
    }

    private List<JsonNode> alerts() {
        return TestApi.list(api.client().get("/api/alerts").json());
    }

    /** Newest first. */
    private List<String> types() {
        return alerts().stream().map(alert -> alert.path("type").asString()).toList();
    }

    private JsonNode gpu(int index) {
        return api.gpus().get(index);
    }

    private String status(int index) {
        return gpu(index).path("status").asString();
    }

    private String stage(int index) {
        return gpu(index).path("fault").path("stage").asString("");
    }
}
