package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** How lanes yield to other users, with a fake {@code nvidia-smi}. */
@ExtendWith(ServerHarnessExtension.class)
final class LanesYieldToOthersTest {

    private static final String C = FakeNvidiaSmi.A.replace('a', 'c');
    private static final String D = FakeNvidiaSmi.A.replace('a', 'd');

    /** Larger than any pid of this host: a process in a container. */
    private static final long LABMATE = 4_194_303;

    private final List<Process> started = new ArrayList<>();
    private ServerHarness harness;
    private FakeNvidiaSmi smi;

    @BeforeEach
    void stage(ServerHarness given) {
        harness = given;
        smi = new FakeNvidiaSmi(harness);
        smi.addGpu(C, 2, "0");
        smi.addGpu(D, 3, "0");
    }

    @AfterEach
    void endThem() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void oneGpuStaysIdleAndTheNextIsUsedWhenTheOtherUserLeaves() {
        smi.addProcess(D, LABMATE, 3000, "python");
        harness.configure("gpu_left: 1\n");
        harness.start();
        var lanes = new FileRunApi(harness);
        long pid = run(lanes, 4);
        eventually("two run", () -> cards(lanes, pid).size() == 2);
        assertThat(cards(lanes, pid)).doesNotContain(3);
        eventually(
                "the others show why they wait", () -> reasons(lanes, pid).contains("lane.polite"));
        assertThat(cards(lanes, pid)).as("one of the three others is left").hasSize(2);
        smi.clearProcesses();
        eventually("a third runs", () -> cards(lanes, pid).size() == 3);
        assertThat(cards(lanes, pid)).as("the last is kept back").containsExactly(0, 1, 2);
        assertThat(reasons(lanes, pid)).contains("card.kept_back");
    }

    @Test
    void nothingStartsWhereAnotherUserComputesUntilThatIsOver() {
        for (var card : List.of(FakeNvidiaSmi.A, FakeNvidiaSmi.B, C)) {
            smi.removeGpu(card);
        }
        smi.addProcess(D, LABMATE, 3000, "python");
        harness.configure("gpu_left: 0\n");
        harness.start();
        var lanes = new FileRunApi(harness);
        long pid = run(lanes, 1);
        eventually("it waits for them", () -> reasons(lanes, pid).contains("card.others_work"));
        smi.clearProcesses();
        eventually("it runs", () -> cards(lanes, pid).size() == 1);
    }

    @Test
    void aLaneStaysOffAGpuWithPythonOfYourOwnUnlessItIsToUseAllThereIs() throws IOException {
        for (var card : List.of(FakeNvidiaSmi.B, C, D)) {
            smi.removeGpu(card);
        }
        var own = new ProcessBuilder("sleep", "600").start();
        started.add(own);
        smi.addProcess(FakeNvidiaSmi.A, own.pid(), 3000, "/opt/env/bin/python3.10");
        harness.configure("gpu_left: 0\n");
        var api = harness.start();
        var lanes = new FileRunApi(harness);
        long pid = run(lanes, 1);
        eventually("it waits for you", () -> reasons(lanes, pid).contains("card.own_python"));
        api.client().put("/api/rule", "{\"maximize_resource_utilization\":true}").expect(200);
        eventually("it runs beside", () -> cards(lanes, pid).size() == 1);
    }

    @Test
    void lanesLandOnTheNamedGpusOnlyAndShareThemWhereTheyMay() {
        harness.configure(
                "use_all_gpus: false\ncompete_gpus: [0, 2]\ngpu_left: 0\n"
                        + "maximize_resource_utilization: true\n");
        var api = harness.start();
        var lanes = new FileRunApi(harness);
        var text = new StringBuilder();
        for (int lane = 1; lane <= 5; lane++) {
            text.append(lane).append("\nsleep 600\n40\n\n");
        }
        lanes.write("single", text.toString());
        long pid = lanes.start("single");
        eventually("two on each", () -> lanes.run(pid).path("running").asInt() == 4);
        assertThat(cards(lanes, pid)).containsExactly(0, 2);
        assertThat(api.gpus().getFirst().path("task_ids").size()).isEqualTo(2);
        assertThat(reasons(lanes, pid)).contains("card.memory_short", "card.outside_lanes");
    }

    @Test
    void manyGpusAreTakenByTheFormulaAndTheKeptOnesOnlyWhereTheMinimumAsks() {
        harness.configure("gpu_left: 1\n");
        harness.start();
        var lanes = new FileRunApi(harness);
        lanes.write("multi", "1\nsleep 600\n1-4\n1\n\n1\ntrue\n4\n1\n");
        long pid = lanes.start("multi");
        eventually("it has three", () -> cards(lanes, pid).size() == 3);
        assertThat(cards(lanes, pid)).containsExactly(0, 1, 2);
        long task = lanes.process(pid, 1, 0).path("task_id").asLong();
        harness.socket().cancel(task);
        eventually("all four were taken", () -> lanes.process(pid, 1, 1).path("gpus").size() == 4);
        eventually("it is over", () -> !lanes.isActive(pid));
        assertThat(harness.socket().events("attempt.granted").getLast().toString())
                .contains("gpu_left");
    }

    @Test
    void aRunThatIsLeftWithoutAGpuReportsIt() {
        for (var card : List.of(FakeNvidiaSmi.B, C, D)) {
            smi.removeGpu(card);
        }
        harness.start();
        var lanes = new FileRunApi(harness);
        long pid = run(lanes, 1);
        eventually(
                "the run says why",
                () -> lanes.run(pid).path("reason").asString("").contains("gpu_left"));
    }

    @Test
    void theGpuThatDidLeastInTheLastSecondIsTaken() {
        for (var card : List.of(C, D)) {
            smi.removeGpu(card);
        }
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(0, 100_000, 100_000, 90, 40));
        smi.addGpu(new FakeNvidiaSmi.GpuOutput(1, 100_000, 60_000, 20, 80));
        harness.configure("gpu_left: 0\nmemory_threshold_percent: 100\n");
        harness.start();
        var lanes = new FileRunApi(harness);
        long pid = run(lanes, 1);
        eventually("it runs", () -> cards(lanes, pid).size() == 1);
        assertThat(cards(lanes, pid)).containsExactly(1);
    }

    /** This many lanes with one task that keeps running. */
    private static long run(FileRunApi lanes, int count) {
        var text = new StringBuilder();
        for (int lane = 1; lane <= count; lane++) {
            text.append(FileRunTest.block(lane, "sleep 600"));
        }
        return lanes.write("single", text.toString()).start("single");
    }

    private static TreeSet<Integer> cards(FileRunApi lanes, long pid) {
        var cards = new TreeSet<Integer>();
        for (var queue : lanes.run(pid).path("queues")) {
            for (var process : queue.path("processes")) {
                if (process.path("status").asString().equals("running")) {
                    process.path("gpus").forEach(card -> cards.add(card.asInt()));
                }
            }
        }
        return cards;
    }

    /** The reasons of all its waiting tasks, as text. */
    private String reasons(FileRunApi lanes, long pid) {
        var reasons = new StringBuilder();
        for (var queue : lanes.run(pid).path("queues")) {
            for (var process : queue.path("processes")) {
                long id = process.path("task_id").asLong();
                reasons.append(harness.socket().task(id).path("wait_reasons"));
            }
        }
        return reasons.toString();
    }
}
