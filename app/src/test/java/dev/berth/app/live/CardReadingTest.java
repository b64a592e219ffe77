package dev.berth.app.live;

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
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** The cards as their driver tells of them, and a driver that does not. */
@ExtendWith(Worlds.class)
final class CardReadingTest {

    private static final Duration SOON = Duration.ofSeconds(2);
    private static final int MANY = 20;

    private World world;
    private FakeSmi smi;

    @BeforeEach
    void stage(World given) {
        world = given;
        smi = new FakeSmi(world);
    }

    @Test
    void theListFollowsTheDriverWithinTwoSecondsAndAsksItOnceASecond() {
        var api = world.start();
        var gpu = api.gpus().getFirst();
        assertThat(gpu.path("uuid").asString()).isEqualTo(FakeSmi.A);
        assertThat(gpu.path("name").asString()).isEqualTo("Fake 100G");
        assertThat(gpu.path("utilization").asInt()).isEqualTo(7);
        assertThat(gpu.path("temperature_c").asInt()).isEqualTo(41);
        assertThat(gpu.path("status").asString()).isEqualTo("free");

        // The best of three: on a busy machine any single one may be late.
        assertThat(
                        LongStream.of(31_000, 32_000, 33_000)
                                .map(mib -> shownAfter(api, mib))
                                .min()
                                .orElseThrow())
                .isLessThan(SOON.toNanos());
        assertThat(api.gpus().getFirst().path("status").asString()).isEqualTo("busy");

        smi.card(FakeSmi.A, 0, "[N/A]");
        eventually("what is not known is null", () -> status(api, 0).equals("unknown"));
        assertThat(api.gpus().getFirst().path("memory_used_mb").isNull()).isTrue();
        assertThat(status(api, 1)).isEqualTo("free");

        long before = smi.calls();
        long begun = System.nanoTime();
        assertThat(world.server().endsWithin(Duration.ofSeconds(4))).isFalse();
        long asked = smi.calls() - before;
        long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertThat(asked).as("in %d s", seconds).isBetween(2L, seconds + 1);
    }

    /** How long it takes until so much is shown to be in use. */
    private long shownAfter(Api api, long mib) {
        long begun = System.nanoTime();
        smi.card(FakeSmi.A, 0, Long.toString(mib));
        eventually("the new figure is shown", () -> used(api, 0) == mib);
        return System.nanoTime() - begun;
    }

    @ParameterizedTest
    @ValueSource(strings = {"fail", "hang", "garbage"})
    void aDriverThatDoesNotAnswerMakesCardsUnknownAndStopsNothingElse(String mode) {
        var api = world.start();
        long running = api.submit(untilTheGateOpens());
        api.awaitPhase(running, "running");

        smi.mode(mode);
        eventually("no card can be read", () -> all(api, "unknown"));
        assertThat(api.gpus())
                .allSatisfy(gpu -> assertThat(gpu.path("why").asString()).isNotEmpty());
        assertThat(holderOf(api, running)).as("its holder is still shown").isTrue();
        eventually("health says so", () -> api.door().get("/api/health").status() == 503);

        long waiting = api.submit(Order.card("true").with("gpu_type", "Fake 100G"));
        assertThat(api.task(waiting).path("wait_reasons").toString()).contains("card.unreadable");
        assertThat(api.door().post("/api/tasks", Order.card("true").with("gpu_type", "H1").body()))
                .satisfies(answer -> assertThat(answer.body()).contains("Fake 100G"));
        assertThat(slowestButOne(api)).isLessThan(Duration.ofSeconds(1));
        assertThat(api.awaitFinal(api.submit(Order.cpu("true"))).path("status").asString())
                .isEqualTo("completed");

        assertThat(outstanding()).as("never a second question beside the first").isLessThan(2);

        PipelineTest.touch(world.file("gate"));
        assertThat(api.awaitFinal(running).path("status").asString()).isEqualTo("completed");
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.events("alert.gpus_unreadable")).hasSize(1);
        assertThat(
                        world.server()
                                .stderr()
                                .lines()
                                .filter(line -> line.contains(" the cards cannot be read, ")))
                .as("one warning, not one a second")
                .hasSize(1);

        smi.mode("ok");
        assertThat(api.awaitFinal(waiting).path("status").asString()).isEqualTo("completed");
        eventually("all cards are free", () -> all(api, "free"));
        assertThat(api.events("alert.gpus_readable")).hasSize(1);
        assertThat(api.door().get("/api/health").status()).isEqualTo(200);
    }

    private long outstanding() {
        return ProcessHandle.of(world.server().pid())
                .orElseThrow()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains("nvidia-smi"))
                .count();
    }

    /**
     * Of the calls that people make all day, while the driver is what it is; one may have met a
     * busy machine.
     */
    private static Duration slowestButOne(Api api) {
        var took = new long[MANY];
        for (int i = 0; i < MANY; i++) {
            long begun = System.nanoTime();
            api.submit(Order.cpu("true"));
            api.tasks();
            api.gpus();
            took[i] = System.nanoTime() - begun;
        }
        Arrays.sort(took);
        return Duration.ofNanos(took[MANY - 2]);
    }

    @Test
    void aCardThatIsMissingOnceChangesNothing() {
        var api = world.start();
        var seen = new ArrayList<String>();
        eventually("all cards are free", () -> all(api, "free"));
        smi.dropOnce(FakeSmi.B);
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
    void aCardThatIsGoneFailsItsTaskAndAlertsOnceAndOthersGoOn() {
        var api = world.start();
        long first = api.submit(untilTheGateOpens());
        long second = api.submit(untilTheGateOpens());
        api.awaitPhase(first, "running");
        api.awaitPhase(second, "running");
        int lost = api.task(first).path("assigned_gpus").get(0).asInt();

        smi.drop(lost == 0 ? FakeSmi.A : FakeSmi.B);
        eventually("it is in error", () -> status(api, lost).equals("error"));
        var failed = api.awaitFinal(first);
        assertThat(failed.path("status").asString()).isEqualTo("failed");
        assertThat(failed.path("error").asString()).startsWith("GPU error: ");
        assertThat(api.status(second)).isEqualTo("running");
        assertThat(status(api, 1 - lost)).isEqualTo("busy");
        long waiting = api.submit(Order.card("true"));
        assertThat(api.task(waiting).path("wait_reasons").toString()).contains("card.error");
        assertThat(api.events("alert.gpu_error"))
                .singleElement()
                .satisfies(
                        event ->
                                assertThat(event.path("data").path("gpu_id").asString())
                                        .isEqualTo(Integer.toString(lost)));

        smi.card(lost == 0 ? FakeSmi.A : FakeSmi.B, lost, "0");
        assertThat(api.awaitFinal(waiting).path("status").asString()).isEqualTo("completed");
        assertThat(api.events("alert.gpu_returned")).hasSize(1);
        PipelineTest.touch(world.file("gate"));
        assertThat(api.awaitFinal(second).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void renumberedCardsKeepTheirTasksAndGiveTheirNewNumbers() {
        var api = world.start();
        long running = api.submit(untilTheGateOpens());
        api.awaitPhase(running, "running");
        int held = api.task(running).path("assigned_gpus").get(0).asInt();
        smi.card(FakeSmi.A, 1, "0");
        smi.card(FakeSmi.B, 0, "0");
        eventually("the other one is first", () -> uuid(api, 0).equals(FakeSmi.B));
        var gpu = api.gpus().get(1 - held);
        assertThat(gpu.path("assigned_task_id").asLong()).isEqualTo(running);
        long next = api.submit(Order.card("echo sees $CUDA_VISIBLE_DEVICES"));
        api.awaitFinal(next);
        assertThat(api.log(next, 20)).contains("sees " + held);
        assertThat(api.gpus()).hasSize(2);
        PipelineTest.touch(world.file("gate"));
        api.awaitFinal(running);
    }

    private Order untilTheGateOpens() {
        return Order.card("until [[ -e " + world.file("gate") + " ]]; do sleep 0.02; done");
    }

    private static boolean holderOf(Api api, long task) {
        return api.gpus().stream()
                .flatMap(gpu -> Api.list(gpu.path("holders")).stream())
                .anyMatch(holder -> holder.path("task_id").asLong() == task);
    }

    private static boolean all(Api api, String status) {
        return api.gpus().stream().allMatch(gpu -> gpu.path("status").asString().equals(status));
    }

    private static JsonNode gpu(Api api, int index) {
        List<JsonNode> gpus = api.gpus();
        return gpus.get(index);
    }

    private static String status(Api api, int index) {
        return gpu(api, index).path("status").asString();
    }

    private static String uuid(Api api, int index) {
        return gpu(api, index).path("uuid").asString();
    }

    private static long used(Api api, int index) {
        return gpu(api, index).path("memory_used_mb").asLong(-1);
    }
}
