package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.util.ArrayList;
import java.util.Set;
import java.util.TreeSet;

/** GPU rules in the configuration. */
@ExtendWith(ServerHarnessExtension.class)
final class GpuRulesTest {

    /** Larger than any pid of this host: a process in a container, which counts as foreign. */
    private static final long SOMEBODYS = 4_194_303;

    private static final int ALL_OF_THEM = 6;

    @Test
    void onlyThePoolIsUsedAndANumberThatNoGpuHasIsWarnedAbout(ServerHarness harness) {
        new FakeNvidiaSmi(harness);
        harness.configure("scheduler:\n  gpu_ids: [0, 5]\n");
        var api = harness.start();

        assertThat(usedCards(api)).containsOnly("[0]");
        eventually(
                "the log names the number",
                () ->
                        harness.server().outputTail().contains("gpu_ids")
                                && harness.server().outputTail().contains("5"));
        assertThat(api.client().post("/api/tasks", TaskBuilder.gpus(2, "true").body()).status())
                .isEqualTo(400);
    }

    @Test
    void aReservedGpuIsNeverGiven(ServerHarness harness) {
        new FakeNvidiaSmi(harness);
        harness.configure("reserved_gpu_ids: [0]\n");

        assertThat(usedCards(harness.start())).containsOnly("[1]");
    }

    @Test
    void theThresholdCanBeRaised(ServerHarness harness) {
        var smi = new FakeNvidiaSmi(harness);
        smi.removeGpu(FakeNvidiaSmi.B);
        smi.addGpu(FakeNvidiaSmi.A, 0, "40000");
        harness.configure("memory_threshold_percent: 50\n");
        var api = harness.start();

        assertThat(api.awaitEnd(api.submit(TaskBuilder.oneGpu("true"))).path("status").asString())
                .isEqualTo("completed");
    }

    @Test
    void whereMemoryAloneDecidesAnothersWorkIsNoObstacle(ServerHarness harness) {
        var smi = new FakeNvidiaSmi(harness);
        smi.removeGpu(FakeNvidiaSmi.B);
        smi.addProcess(FakeNvidiaSmi.A, SOMEBODYS, 3000, "python");
        smi.addGpu(FakeNvidiaSmi.A, 0, "3000");
        harness.configure("foreign: fit\n");
        var api = harness.start();

        long id = api.submit(TaskBuilder.oneGpu("true").with("memory_gb", 20));

        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
    }

    /** Several tasks at once and one after another. */
    private static Set<String> usedCards(TestApi api) {
        var ids = new ArrayList<Long>();
        for (int i = 0; i < ALL_OF_THEM; i++) {
            ids.add(api.submit(TaskBuilder.oneGpu("true")));
        }
        var used = new TreeSet<String>();
        ids.forEach(id -> used.add(api.awaitEnd(id).path("assigned_gpus").toString()));
        return used;
    }
}
