package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.testkit.Script;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;

class SmiHealthTest {

    private static final Optional<PciAddress> PLACE = Optional.of(new PciAddress(0, 6, 0));

    @TempDir private Path folder;

    @Test
    void readsHealthOfARealAndOfAFaultyGpu() throws Exception {
        var smi =
                smi(
                        """
                        echo 'GPU-1, 00000000:06:00.0, 0, [N/A], No, No, Not Active, None'
                        echo 'GPU-2, 00000000:06:00.0, 7, Yes, No, Yes, Active, Reset'
                        echo '[GPU is lost], 00000000:07:00.0, 0, No, No, No, Active, None'
                        """);
        assertThat(smi.read())
                .containsExactly(
                        new GpuHealth(
                                "GPU-1",
                                PLACE,
                                OptionalLong.of(0),
                                false,
                                false,
                                false,
                                Optional.empty()),
                        new GpuHealth(
                                "GPU-2",
                                PLACE,
                                OptionalLong.of(7),
                                true,
                                true,
                                true,
                                Optional.of("Reset")));
    }

    @Test
    void anOlderSmiGetsFewerFields() throws Exception {
        var smi =
                smi(
                        """
                        case $1 in
                        *clocks_event* | *recovery*)
                            echo 'Field "gpu_recovery_action" is not a valid field to query.'
                            exit 2 ;;
                        *) echo 'GPU-1, 00000000:06:00.0, 4, No, Yes, No, Active' ;;
                        esac
                        """);
        assertThat(smi.read().getFirst())
                .isEqualTo(
                        new GpuHealth(
                                "GPU-1",
                                PLACE,
                                OptionalLong.of(4),
                                true,
                                false,
                                true,
                                Optional.empty()));
        assertThat(asked()).isEqualTo(3);
        smi.read();
        assertThat(asked()).isEqualTo(4);
    }

    @Test
    void anSmiThatRejectsAllQueriesIsSkippedForAWhile() throws Exception {
        var smi = smi("echo '0, GPU-1, A100, 100, 0, 100, 0, 30, Disabled'");
        assertThatThrownBy(smi::read).isInstanceOf(ProbeFailure.class);
        long tried = asked();
        for (int look = 0; look < 60; look++) {
            assertThat(smi.read()).isEmpty();
        }
        assertThat(asked()).isEqualTo(tried);
        assertThatThrownBy(smi::read).isInstanceOf(ProbeFailure.class);
        assertThat(asked()).isEqualTo(2 * tried);
    }

    @Test
    void anSmiThatHasAnsweredIsQueriedAgainAfterAFailure() throws Exception {
        var smi = smi("[[ -e broken ]] && exit 9; echo 'GPU-1, 0:6:0.0, 1, No, No, No, No, None'");
        assertThat(smi.read()).hasSize(1);
        Files.createFile(folder.resolve("broken"));
        assertThatThrownBy(smi::read).isInstanceOf(ProbeFailure.class);
        Files.delete(folder.resolve("broken"));
        assertThat(smi.read()).hasSize(1);
    }

    @Test
    void randomTextOnlyCausesTheDeclaredFailure() {
        var random = new SplittableRandom(20_260_116);
        var fields = java.util.List.of("uuid", "pci.bus_id", "retired_pages.pending");
        for (int i = 0; i < 20_000; i++) {
            var text = new StringBuilder("GPU-1, 00000000:06:00.0, Yes\n");
            for (int change = random.nextInt(4); change >= 0; change--) {
                text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(1, 400));
            }
            try {
                assertThat(SmiHealth.parse(fields, text.toString())).hasSizeLessThan(3);
            } catch (ProbeFailure expected) {
                assertThat(expected.why()).hasSizeLessThan(200);
            }
        }
    }

    private long asked() throws IOException {
        return Files.readAllLines(folder.resolve("asked")).size();
    }

    private SmiHealth smi(String script) {
        return new SmiHealth(
                new SmiProgram(
                        Script.write(
                                folder.resolve("nvidia-smi"),
                                "#!/bin/bash\ncd "
                                        + folder
                                        + "; echo \"$1\" >> asked\n"
                                        + script)));
    }
}
