package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.gpu.GpuProcess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** With a fake library that answers like a driver's. */
class NvmlProbeTest {

    @TempDir private Path folder;

    @Test
    void readsTheValuesThatTheDriverReports() throws Exception {
        var rows = probe("-DFORM=3").read();
        assertThat(rows).as("the third card does not answer").hasSize(2);
        var card = rows.getFirst();
        assertThat(card.uuid()).isEqualTo("GPU-aaaa");
        assertThat(card.model()).isEqualTo("NVIDIA H200");
        assertThat(card.totalMib()).hasValue(143_771);
        assertThat(card.reading().usedMib()).hasValue(3599);
        assertThat(card.reading().freeMib()).hasValue(139_558);
        assertThat(card.reading().utilizationPercent()).hasValue(42);
        assertThat(card.reading().temperatureC()).hasValue(35);
        assertThat(card.isMigEnabled()).isFalse();
        assertThat(rows.getLast().isMigEnabled()).isTrue();
        assertThat(rows.getLast().reading().utilizationPercent()).isEmpty();
        assertThat(rows.getLast().index()).isEqualTo(1);
    }

    @Test
    void listsEachProcessOnceAndMemoryThatIsNotAvailableIsAbsent() throws Exception {
        var rows = probe("-DFORM=3").read();
        var there = rows.getFirst().reading().processes().orElseThrow();
        assertThat(there).extracting(GpuProcess::pid).containsExactly(1000L, 1001L, 1002L);
        assertThat(there)
                .extracting(GpuProcess::kind)
                .containsExactly(
                        GpuProcess.Kind.COMPUTE, GpuProcess.Kind.COMPUTE, GpuProcess.Kind.GRAPHICS);
        assertThat(there.get(0).usedMib()).hasValue(3590);
        assertThat(there.get(1).usedMib()).isEmpty();
        assertThat(rows.getLast().reading().processes().orElseThrow())
                .as("more than the first room")
                .hasSize(100);
    }

    @Test
    void anOlderDriverIsReadByItsOlderFunctions() throws Exception {
        var there = occupants("-DFORM=2");
        assertThat(there).extracting(GpuProcess::pid).contains(1000L, 1001L);
        var oldest = probe("-DFORM=1").read().getFirst();
        assertThat(oldest.reading().processes().orElseThrow())
                .singleElement()
                .satisfies(
                        one -> {
                            assertThat(one.pid()).isEqualTo(41);
                            assertThat(one.usedMib()).hasValue(100);
                        });
        assertThat(oldest.reading().usedMib()).as("with the driver's own share").hasValue(4213);
        assertThat(oldest.isMigEnabled()).isFalse();
    }

    @Test
    void entriesOfTheWrongSizeAreRejected() throws Exception {
        assertThat(occupants("-DFORM=35")).extracting(GpuProcess::pid).contains(1000L, 1001L);
    }

    @Test
    void aDriverFailureIsReported() throws Exception {
        var probe = probe("-DCOUNT_STATUS=999");
        assertThatThrownBy(probe::read)
                .isInstanceOf(ProbeFailure.class)
                .hasMessageContaining("Unknown Error");
    }

    @Test
    void onlyAFailingMemoryQueryIsAnError() throws Exception {
        var lost = probe("-DMEMORY_STATUS=15").read().getFirst();
        assertThat(lost.error()).contains("GPU is lost");
        assertThat(lost.isLost()).isTrue();
        assertThat(probe("-DMEMORY_STATUS=999").read().getFirst())
                .satisfies(row -> assertThat(row.error()).contains("Unknown Error"))
                .satisfies(row -> assertThat(row.isLost()).isFalse());
        var shared = probe("-DMEMORY_STATUS=3").read().getFirst();
        assertThat(shared.error()).isEmpty();
        assertThat(shared.reading().usedMib()).isEmpty();
    }

    @Test
    void isEmptyWithoutALibrary() {
        assertThat(Nvml.load("/nowhere/libnvidia-ml.so.1")).isEmpty();
    }

    private List<GpuProcess> occupants(String option) throws Exception {
        return probe(option).read().getFirst().reading().processes().orElseThrow();
    }

    private GpuProbe probe(String option) throws Exception {
        return new NvmlProbe(
                Nvml.load(FakeLibrary.compile(folder, "fake-nvml.c", option).toString())
                        .orElseThrow());
    }
}
