package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;

class SimulatedGpusTest {

    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);

    private final NodeAttempts holders = new NodeAttempts();
    private Instant now = T0;
    private SimulatedGpus cards = cards(false);

    @Test
    void freeSimulatedGpusAreIdleAndStable() {
        assertThat(cards.read()).hasSize(2).isEqualTo(cards.read());
        assertThat(cards.read())
                .allSatisfy(
                        row -> {
                            assertThat(row.reading().usedMib()).hasValue(0);
                            assertThat(row.reading().freeMib()).hasValue(1000);
                            assertThat(row.reading().utilizationPercent()).hasValue(0);
                            assertThat(row.reading().processes().orElseThrow()).isEmpty();
                        });
    }

    @Test
    void aHeldSimulatedGpuShowsClaimedMemoryHolderAndLoad() {
        hold(300);
        var reading = cards.read().getFirst().reading();
        assertThat(reading.usedMib()).hasValue(300);
        assertThat(reading.freeMib()).hasValue(700);
        assertThat(reading.processes().orElseThrow())
                .singleElement()
                .satisfies(
                        one ->
                                assertThat(one.owner())
                                        .isEqualTo(new ProcessOwner.BerthAttempt(ONE)));
        var loads = new HashSet<Integer>();
        int warmest = 0;
        for (int second = 0; second < 90; second++) {
            now = T0.plusSeconds(second);
            var then = cards.read().getFirst().reading();
            assertThat(then.utilizationPercent().orElseThrow()).isBetween(1, 100);
            loads.add(then.utilizationPercent().orElseThrow());
            warmest = Math.max(warmest, then.temperatureC().orElseThrow());
        }
        assertThat(loads).hasSizeGreaterThan(5);
        assertThat(warmest).isGreaterThan(50).isLessThan(90);
        assertThat(cards.read()).as("the same moment looks the same").isEqualTo(cards.read());
    }

    @Test
    void onlyTheWantedGpusAreRead() {
        hold(300);
        assertThat(cards.read("SIM-000"::equals)).containsExactly(cards.read().getFirst());
        assertThat(cards.read(_ -> false)).isEmpty();
    }

    @Test
    void withoutAClaimedSizeHalfOfTheGpuIsUsed() {
        hold(0);
        assertThat(cards.read().getFirst().reading().usedMib()).hasValue(500);
        assertThat(cards.read().getLast().reading().usedMib()).hasValue(0);
        holders.remove(ONE);
        assertThat(cards.read().getFirst().reading().usedMib()).hasValue(0);
    }

    @Test
    void inALabAnotherUserAppearsOnlyOnFreeGpus() {
        cards = cards(true);
        hold(0);
        int visits = 0;
        for (int minute = 0; minute < 60; minute++) {
            now = T0.plusSeconds(60L * minute);
            var rows = cards.read();
            assertThat(rows.getFirst().reading().processes().orElseThrow())
                    .noneMatch(GpuProcess::isOtherUsersCompute);
            visits +=
                    rows.getLast().reading().processes().orElseThrow().stream()
                                    .anyMatch(GpuProcess::isOtherUsersCompute)
                            ? 1
                            : 0;
        }
        assertThat(visits).isBetween(5, 40);
    }

    private void hold(long mib) {
        var claim = new Claim(new GpuId("here", "SIM-000"), mib, true);
        holders.assign(
                new Attempt(ONE, "here", 1, "boot", List.of(claim), T0, new Phase.Starting()));
        holders.started(ONE, new ShimProcess(new ProcessKey("boot", 77, 1), T0));
    }

    private SimulatedGpus cards(boolean hasNeighbour) {
        return new SimulatedGpus(
                new SimulatedGpus.Layout(2, 1000, "A", hasNeighbour), holders, () -> now);
    }
}
