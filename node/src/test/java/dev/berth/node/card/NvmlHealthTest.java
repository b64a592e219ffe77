package dev.berth.node.card;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/** Against a library of our own that answers as a driver's does. */
class NvmlHealthTest {

    @TempDir private Path folder;
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @Test
    void eachCardIsAskedForWhatTheLibraryKnows() throws Exception {
        assertThat(new NvmlHealth(library("-DHEALTH")).read())
                .containsExactly(
                        new Health(
                                "GPU-aaaa",
                                Optional.of(new PciAddress(0, 6, 1)),
                                OptionalLong.of(5),
                                false,
                                false,
                                true,
                                Optional.empty()),
                        new Health(
                                "GPU-bbbb",
                                Optional.of(new PciAddress(0, 7, 1)),
                                OptionalLong.of(6),
                                true,
                                true,
                                false,
                                Optional.of("Reset")));
    }

    @Test
    void aLibraryWithoutTheseFunctionsHasNoComplaints() throws Exception {
        assertThat(new NvmlHealth(library("-DFORM=1")).read())
                .hasSize(2)
                .allMatch(health -> health.complaint().isEmpty() && health.place().isEmpty());
    }

    @Test
    void anErrorThatTheDriverReportsIsHeardWithItsCard() throws Exception {
        var probe = new NvmlProbe(library("-DEVENTS=79"));
        probe.listen(ear());
        try {
            eventually("it is heard", () -> heard.equals(List.of("79 of GPU-bbbb")));
        } finally {
            probe.close();
        }
    }

    @Test
    void nobodyWaitsForEventsThatALibraryDoesNotHave() throws Exception {
        var probe = new NvmlProbe(library("-DFORM=3"));
        probe.listen(ear());
        assertThat(probe.read()).hasSize(2);
        probe.close();
        assertThat(heard).isEmpty();
    }

    private XidEar ear() {
        return new XidEar() {
            @Override
            public void heard(String uuid, int number) {
                heard.add(number + " of " + uuid);
            }

            @Override
            public void heard(PciAddress place, int number) {
                heard.add(number + " at " + place);
            }
        };
    }

    private Nvml library(String option) throws Exception {
        return Nvml.load(FakeLibrary.compile(folder, "fake-nvml.c", option).toString())
                .orElseThrow();
    }
}
