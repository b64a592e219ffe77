package dev.berth.node.gpu;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/** With a fake library that answers like a driver's. */
class NvmlHealthTest {

    @TempDir private Path folder;
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @Test
    void readsEveryHealthValueThatTheLibraryHas() throws Exception {
        assertThat(new NvmlHealth(library("-DHEALTH")).read())
                .containsExactly(
                        new GpuHealth(
                                "GPU-aaaa",
                                Optional.of(new PciAddress(0, 6, 1)),
                                OptionalLong.of(5),
                                false,
                                false,
                                true,
                                Optional.empty()),
                        new GpuHealth(
                                "GPU-bbbb",
                                Optional.of(new PciAddress(0, 7, 1)),
                                OptionalLong.of(6),
                                true,
                                true,
                                false,
                                Optional.of("Reset")));
    }

    @Test
    void aLibraryWithoutHealthFunctionsReportsNoProblem() throws Exception {
        assertThat(new NvmlHealth(library("-DFORM=1")).read())
                .hasSize(2)
                .allMatch(health -> health.problem().isEmpty() && health.address().isEmpty());
    }

    @Test
    void anXidEventIsReportedWithItsGpu() throws Exception {
        var probe = new NvmlProbe(library("-DEVENTS=79"));
        probe.reportXidsTo(ear());
        try {
            eventually("it is heard", () -> heard.equals(List.of("79 of GPU-bbbb")));
        } finally {
            probe.close();
        }
    }

    @Test
    void startsNoEventThreadWithoutSupport() throws Exception {
        var probe = new NvmlProbe(library("-DFORM=3"));
        probe.reportXidsTo(ear());
        assertThat(probe.read()).hasSize(2);
        probe.close();
        assertThat(heard).isEmpty();
    }

    private XidListener ear() {
        return new XidListener() {
            @Override
            public void onXid(String uuid, int number) {
                heard.add(number + " of " + uuid);
            }

            @Override
            public void onXid(PciAddress place, int number) {
                heard.add(number + " at " + place);
            }
        };
    }

    private Nvml library(String option) throws Exception {
        return Nvml.load(FakeLibrary.compile(folder, "fake-nvml.c", option).toString())
                .orElseThrow();
    }
}
