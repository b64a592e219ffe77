package dev.berth.app.live;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.util.List;

/** Cards that fail, one after another, and what is said of it. */
@ExtendWith(Worlds.class)
final class SickCardsTest {

    private static final String OOM =
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.";

    private World world;
    private FakeSmi smi;
    private Api api;

    @BeforeEach
    void stage(World given) {
        world = given;
        smi = new FakeSmi(world);
    }

    @Test
    void aMissingCardIsTwoAlertsAndAPersonsWordBringsItBack() {
        api = world.env("BERTH_GPU_RECOVERY_SECONDS", "6").start();
        long there = api.submit(untilTheGateOpens().with("devices", "0"));
        long beside = api.submit(untilTheGateOpens().with("devices", "1"));
        api.awaitPhase(there, "running");
        api.awaitPhase(beside, "running");

        smi.drop(FakeSmi.A);
        eventually("it is given up", () -> stage(0).equals("out"));
        assertThat(api.awaitFinal(there).path("error").asString())
                .isEqualTo("GPU error: the driver no longer lists it");
        assertThat(types()).containsExactly("gpu_unrecoverable", "gpu_error");
        var alert = alerts().get(1);
        assertThat(alert.path("level").asString()).isEqualTo("CRITICAL");
        assertThat(alert.path("message").asString())
                .isEqualTo("GPU 0 发生错误: the driver no longer lists it");
        assertThat(alert.path("details").path("gpu_id").asInt()).isZero();
        assertThat(alert.path("details").path("error").asString())
                .isEqualTo("the driver no longer lists it");
        assertThat(alerts().getFirst().path("level").asString()).isEqualTo("CRITICAL");

        smi.card(FakeSmi.A, 0, "0");
        eventually("it is listed again", () -> !gpu(0).path("memory_used_mb").isNull());
        assertThat(status(0)).as("a person is awaited").isEqualTo("error");
        api.door().post("/api/gpus/0/recover", "");
        eventually("it passed its test", () -> status(0).equals("free"));
        long again = api.submit(Order.card("true").with("devices", "0"));
        assertThat(api.awaitFinal(again).path("status").asString()).isEqualTo("completed");
        assertThat(types()).containsExactly("gpu_returned", "gpu_unrecoverable", "gpu_error");
        assertThat(api.status(beside)).isEqualTo("running");
        PipelineTest.touch(world.file("gate"));
        api.awaitFinal(beside);
    }

    @Test
    void signsOfTheHardwareTakeOutOneCardAndWhatIsOnlyUnreadableGoesOn() {
        api = world.start();
        long there = api.submit(untilTheGateOpens().with("devices", "0"));
        long beside = api.submit(untilTheGateOpens().with("devices", "1"));
        api.awaitPhase(there, "running");
        api.awaitPhase(beside, "running");

        smi.xid(FakeSmi.B, 13);
        smi.unreadable(FakeSmi.B, 1, "[Unknown Error]");
        eventually("somebody is told", () -> types().equals(List.of("gpu_unreadable")));
        assertThat(status(1)).isEqualTo("unknown");
        assertThat(api.status(beside)).isEqualTo("running");
        smi.card(FakeSmi.B, 1, "0");
        eventually("it can be read", () -> types().getFirst().equals("gpu_readable"));

        // Where a card sits on the bus is known only after the first look at its health.
        eventually(
                "it is out",
                () -> {
                    smi.xid(FakeSmi.A, 79);
                    return status(0).equals("error");
                });
        assertThat(api.awaitFinal(there).path("error").asString()).contains("Xid 79");
        eventually("it passed its test", () -> status(0).equals("free"));
        assertThat(types())
                .containsExactly("gpu_returned", "gpu_error", "gpu_readable", "gpu_unreadable");
        assertThat(api.status(beside)).isEqualTo("running");
        PipelineTest.touch(world.file("gate"));
        api.awaitFinal(beside);
    }

    @Test
    void aTaskThatRunsOutOfMemoryIsToldSoAndTheNextAsksForMore() {
        api = world.start();
        for (var estimate : List.of("4800", "5760")) {
            var failed = api.awaitFinal(api.submit(ending(1)));
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
        assertThat(status(0)).isEqualTo("free");

        var well = api.awaitFinal(api.submit(ending(0)));
        assertThat(well.path("status").asString()).isEqualTo("completed");
        assertThat(well.path("diagnosis").isNull()).isTrue();
        assertThat(api.events("estimate.raised")).hasSize(2);

        long slow = api.submit(Order.card("echo epoch 3/9; " + untilTheGate()));
        eventually(
                "its progress is seen",
                () -> api.task(slow).path("progress").path("percent").asInt() == 33);
        world.kill();
        api = world.restart();
        eventually(
                "it is seen again",
                () -> api.task(slow).path("progress").path("percent").asInt() == 33);
        var third = api.awaitFinal(api.submit(ending(1)));
        assertThat(third.path("error_type").asString()).isEqualTo("oom");
        assertThat(api.events("estimate.raised").getLast().path("data").path("from_mib").asString())
                .as("what was learned outlives a server")
                .isEqualTo("5760");
        PipelineTest.touch(world.file("gate"));
        api.awaitFinal(slow);
    }

    /** Prints what PyTorch prints, and ends with this code. */
    private static Order ending(int code) {
        return Order.card("echo '" + OOM + "'; exit " + code).with("model_name", "m");
    }

    private Order untilTheGateOpens() {
        return Order.card(untilTheGate());
    }

    private String untilTheGate() {
        return "until [[ -e " + world.file("gate") + " ]]; do sleep 0.02; done";
    }

    private List<JsonNode> alerts() {
        return Api.list(api.door().get("/api/alerts").json());
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
