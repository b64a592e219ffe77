package dev.berth.node.gpu;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.port.Fact;
import dev.berth.testkit.Script;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The complete monitoring, with a fake nvidia-smi and a fake kernel log. */
class FaultyGpuTest {

    private static final GpuId ONE = new GpuId("here", "GPU-1");
    private static final GpuId TWO = new GpuId("here", "GPU-2");

    @TempDir private Path folder;
    private final List<Fact> told = new CopyOnWriteArrayList<>();

    @BeforeEach
    void stage() throws IOException {
        cards("0", "0");
        write("health", line(6, 1, "0, No, No, No") + line(7, 2, "0, No, No, No"));
        Files.createFile(folder.resolve("kern.log"));
    }

    @Test
    void faultyAndMissingGpusReturnAfterTheirTest() throws IOException {
        var command = "[[ $CUDA_VISIBLE_DEVICES == 1 ]] || { echo 'it burns'; exit 1; }";
        try (var watch = open(command, Duration.ofSeconds(30))) {
            kernel("NVRM: Xid (PCI:0000:07:00): 13, pid=7, Graphics Exception\n");
            // Written repeatedly, because the address of the GPU is not known before its health was
            // read.
            eventually(
                    "it is reported",
                    () -> {
                        kernel("NVRM: Xid (PCI:0000:07:00): 79, GPU has fallen off the bus.\n");
                        return !sick().isEmpty();
                    });
            watch.test(TWO);
            write("cards", card(2, "0"));
            eventually("the other is in error", () -> last(ONE) instanceof GpuState.Failed);
            watch.test(ONE);
            cards("0", "0");
            eventually("both were tried", () -> tested().size() == 2);
            assertThat(tested())
                    .containsExactlyInAnyOrder(
                            new Fact.GpuTested(TWO, Optional.empty()),
                            new Fact.GpuTested(ONE, Optional.of("it burns")));
            assertThat(sick())
                    .containsExactly(
                            new Fact.GpuFaultFound(
                                    TWO, GpuFault.Kind.XID, "Xid 79: GPU has fallen off the bus"));
        }
    }

    private GpuMonitor open(String command, Duration recovery) throws IOException {
        var smi =
                Script.write(
                        folder.resolve("nvidia-smi"),
                        """
                        #!/bin/bash
                        cd %s
                        case $1 in
                        --query-gpu=uuid*) cat health ;;
                        --query-gpu=*) cat cards ;;
                        esac
                        """
                                .formatted(folder));
        var care =
                new GpuSettings.FaultHandling(
                        recovery, Optional.of(command), folder.resolve("kern.log"));
        var settings =
                new GpuSettings(
                        new GpuSource.NvidiaSmi(),
                        Optional.of(smi),
                        Optional.empty(),
                        SchedulingRules.DEFAULT,
                        care);
        var watch = GpuMonitor.open("here", "home", settings, this::notes, Optional.empty());
        watch.reportTo(told::add);
        eventually("both cards are known", () -> last(TWO) instanceof GpuState.Readable);
        return watch;
    }

    private Path notes(Object attempt) {
        return folder.resolve("notes-" + attempt);
    }

    private void cards(String one, String two) throws IOException {
        write("cards", card(1, one) + card(2, two));
    }

    private static String card(int number, String used) {
        return "%d, GPU-%d, A100, 100, %s, 100, 0, 30, Disabled\n"
                .formatted(number - 1, number, used);
    }

    private static String line(int bus, int number, String memory) {
        return "GPU-%d, 00000000:%02x:00.0, %s, Not Active, None\n".formatted(number, bus, memory);
    }

    private void write(String name, String text) throws IOException {
        var draft = Files.writeString(folder.resolve(name + ".new"), text);
        Files.move(draft, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private void kernel(String line) throws IOException {
        Files.writeString(folder.resolve("kern.log"), line, StandardOpenOption.APPEND);
    }

    private List<Fact.GpuFaultFound> sick() {
        return told.stream()
                .filter(Fact.GpuFaultFound.class::isInstance)
                .map(Fact.GpuFaultFound.class::cast)
                .toList();
    }

    private List<Fact.GpuTested> tested() {
        return told.stream()
                .filter(Fact.GpuTested.class::isInstance)
                .map(Fact.GpuTested.class::cast)
                .toList();
    }

    private GpuState last(GpuId card) {
        return told.stream()
                .filter(Fact.GpusRead.class::isInstance)
                .map(Fact.GpusRead.class::cast)
                .flatMap(fact -> fact.gpus().stream())
                .filter(state -> state.gpu().id().equals(card))
                .reduce((_, later) -> later)
                .orElse(null);
    }
}
