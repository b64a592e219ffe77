package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.card.Occupant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Against a library of our own that answers as a driver's does. */
class NvmlProbeTest {

    @TempDir private Path folder;

    @Test
    void readsCardsWithTheFiguresThatTheDriverReports() throws Exception {
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
        assertThat(card.isSplit()).isFalse();
        assertThat(rows.getLast().isSplit()).isTrue();
        assertThat(rows.getLast().reading().utilizationPercent()).isEmpty();
        assertThat(rows.getLast().index()).isEqualTo(1);
    }

    @Test
    void listsEachProcessOnceAndMemoryThatIsNotAvailableIsAbsent() throws Exception {
        var rows = probe("-DFORM=3").read();
        var there = rows.getFirst().reading().occupants().orElseThrow();
        assertThat(there).extracting(Occupant::pid).containsExactly(1000L, 1001L, 1002L);
        assertThat(there)
                .extracting(Occupant::kind)
                .containsExactly(
                        Occupant.Kind.COMPUTE, Occupant.Kind.COMPUTE, Occupant.Kind.GRAPHICS);
        assertThat(there.get(0).usedMib()).hasValue(3590);
        assertThat(there.get(1).usedMib()).isEmpty();
        assertThat(rows.getLast().reading().occupants().orElseThrow())
                .as("more than the first room")
                .hasSize(100);
    }

    @Test
    void anOlderDriverIsReadByItsOlderFunctions() throws Exception {
        var there = occupants("-DFORM=2");
        assertThat(there).extracting(Occupant::pid).contains(1000L, 1001L);
        var oldest = probe("-DFORM=1").read().getFirst();
        assertThat(oldest.reading().occupants().orElseThrow())
                .singleElement()
                .satisfies(
                        one -> {
                            assertThat(one.pid()).isEqualTo(41);
                            assertThat(one.usedMib()).hasValue(100);
                        });
        assertThat(oldest.reading().usedMib()).as("with the driver's own share").hasValue(4213);
        assertThat(oldest.isSplit()).isFalse();
    }

    @Test
    void entriesOfAnotherWidthThanPromisedAreNotBelieved() throws Exception {
        assertThat(occupants("-DFORM=35")).extracting(Occupant::pid).contains(1000L, 1001L);
    }

    @Test
    void aDriverThatFailsSaysSo() throws Exception {
        var probe = probe("-DCOUNT_STATUS=999");
        assertThatThrownBy(probe::read)
                .isInstanceOf(ProbeFailure.class)
                .hasMessageContaining("Unknown Error");
    }

    @Test
    void whereThereIsNoLibraryThereIsNone() {
        assertThat(Nvml.load("/nowhere/libnvidia-ml.so.1")).isEmpty();
    }

    private List<Occupant> occupants(String option) throws Exception {
        return probe(option).read().getFirst().reading().occupants().orElseThrow();
    }

    private CardProbe probe(String option) throws IOException, InterruptedException {
        return new NvmlProbe(Nvml.load(compile(option).toString()).orElseThrow());
    }

    private Path compile(String option) throws IOException, InterruptedException {
        var path = System.getenv().getOrDefault("PATH", "");
        assumeTrue(
                Stream.of(path.split(":")).anyMatch(dir -> Files.isExecutable(Path.of(dir, "gcc"))),
                "there is no gcc to make a library with");
        var source = folder.resolve("fake-nvml.c");
        try (var text = NvmlProbeTest.class.getResourceAsStream("fake-nvml.c")) {
            Files.write(source, text.readAllBytes());
        }
        var library = folder.resolve("libnvidia-ml" + option + ".so");
        var command = new ArrayList<>(List.of("gcc", "-shared", "-fPIC", "-O1", option, "-o"));
        command.addAll(List.of(library.toString(), source.toString()));
        var gcc = new ProcessBuilder(command).inheritIO().start();
        assertThat(gcc.waitFor()).isZero();
        return library;
    }
}
