package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

class SmiParserTest {

    private static final String H200 = "GPU-11111111-2222-3333-4444-555555555555";

    @Test
    void aStrangeProgramNameDoesNotHideOtherProcesses() throws Exception {
        var all =
                SmiParser.processes(
                        "GPU-1, 7, 10, \u0007evil\nGPU-1, 8, 10, "
                                + "x".repeat(5000)
                                + "\nGPU-1, 9, 10, \n");

        assertThat(all.get("GPU-1")).hasSize(3);
        assertThat(all.get("GPU-1").getFirst().program()).isEqualTo("?evil");
        assertThat(all.get("GPU-1").get(1).program()).hasSize(200);
        assertThat(SmiParser.processes("GPU-1, 7, -1, python").get("GPU-1").getFirst().usedMib())
                .isEmpty();
    }

    @Test
    void readsTheOutputForARealGpu() throws Exception {
        var rows = SmiParser.gpus(file("h200-idle.cards.csv"));
        assertThat(rows)
                .singleElement()
                .satisfies(
                        row -> {
                            assertThat(row.uuid()).isEqualTo(H200);
                            assertThat(row.model()).isEqualTo("NVIDIA H200");
                            assertThat(row.totalMib()).hasValue(143_771);
                            assertThat(row.reading().usedMib()).hasValue(0);
                            assertThat(row.reading().freeMib())
                                    .as("as reported, and not total less used")
                                    .hasValue(143_156);
                            assertThat(row.reading().temperatureC()).hasValue(36);
                        });
        var processes = SmiParser.processes(file("h200-busy.processes.csv"));
        assertThat(processes.get(H200))
                .singleElement()
                .satisfies(
                        one -> {
                            assertThat(one.pid()).isEqualTo(424);
                            assertThat(one.usedMib()).hasValue(3590);
                            assertThat(one.program()).isEqualTo("python3");
                        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"[N/A]", "[Unknown Error]", "Unknown", "N/A", "[Not Supported]"})
    void unknownValuesAreAbsentNotZero(String word) throws Exception {
        var row =
                SmiParser.gpus("0, GPU-1, A100, 100, %1$s, %1$s, %1$s, %1$s, %1$s".formatted(word))
                        .getFirst();
        assertThat(row.reading().usedMib()).isEmpty();
        assertThat(row.reading().freeMib()).isEmpty();
        assertThat(row.reading().utilizationPercent()).isEmpty();
        assertThat(row.reading().temperatureC()).isEmpty();
        assertThat(row.isMigEnabled()).isFalse();
        assertThat(SmiParser.processes("GPU-1, 7, " + word + ", python").get("GPU-1").getFirst())
                .satisfies(one -> assertThat(one.usedMib()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[Unknown Error]", "[GPU is lost]", "ERR!", "GPU is lost"})
    void aMemoryErrorOfTheDriverIsAnError(String word) throws Exception {
        var row = SmiParser.gpus("0, GPU-1, A, 100, %1$s, %1$s, 0, 30, N/A".formatted(word));
        assertThat(row.getFirst().error()).contains(word);
        assertThat(row.getFirst().isLost()).isEqualTo(word.contains("lost"));
    }

    @Test
    void unknownValuesAreNoErrorAndAGpuWithoutUuidIsMissing() throws Exception {
        var text =
                """
                0, GPU-1, A, 100, [N/A], [N/A], 0, 30, Disabled
                1, GPU-2, A, 100, 0, 100, [Unknown Error], [Unknown Error], Disabled
                2, [GPU is lost], [GPU is lost], [GPU is lost], 0, 0, 0, 0, [N/A]
                """;
        assertThat(SmiParser.gpus(text)).hasSize(2).allMatch(row -> row.error().isEmpty());
    }

    @Test
    void programNamesMayContainCommasAndTheListMayBeEmpty() throws Exception {
        assertThat(SmiParser.processes("GPU-1, 7, 5, /opt/a, b/python").get("GPU-1").getFirst())
                .satisfies(one -> assertThat(one.program()).isEqualTo("/opt/a, b/python"));
        assertThat(SmiParser.processes("\nNo running processes found\n")).isEmpty();
        assertThat(SmiParser.gpus("0, GPU-1, A, 9, 1, 8, 0, 30, Enabled").getFirst().isMigEnabled())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Segmentation fault",
                "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
                "0, GPU-1, A100, 100, 0, 100, 0, 30",
                "[N/A], GPU-1, A100, 100, 0, 100, 0, 30, Disabled",
                "0, GPU 1, A100, 100, 0, 100, 0, 30, Disabled",
                "0, GPU-1, A100, -100, 0, 100, 0, 30, Disabled",
                "0, GPU-1, A100, 1e9, 0, 100, 0, 30, Disabled",
                "0, GPU-1, A100, 99999999999999, 0, 100, 0, 30, Disabled",
                "0, GPU-1, A100, 100 MiB, 0, 100, 0, 30, Disabled",
                "0, GPU-1, A\u0007, 100, 0, 100, 0, 30, Disabled",
                "0, GPU-1, A100, 100, 0, 100, 101, 30, Disabled",
            })
    void invalidFieldRejectsTheWholeAnswer(String line) {
        var text = "0, GPU-0, A100, 100, 0, 100, 0, 30, Disabled\n" + line;
        assertThatThrownBy(() -> SmiParser.gpus(text)).isInstanceOf(ProbeFailure.class);
    }

    @Test
    void randomTextOnlyCausesTheDeclaredFailure() {
        var random = new SplittableRandom(20_260_115);
        var sample = "0, GPU-1, A100, 100, 0, [N/A], 0, 30, Disabled\nGPU-1, 7, 5, python\n";
        for (int i = 0; i < 20_000; i++) {
            var text = new StringBuilder(sample);
            for (int change = random.nextInt(6); change >= 0; change--) {
                int at = random.nextInt(text.length());
                text.setCharAt(at, (char) random.nextInt(1, 400));
            }
            tried(text.toString());
        }
    }

    private static void tried(String text) {
        try {
            SmiParser.gpus(text);
        } catch (ProbeFailure expected) {
            assertThat(expected.why()).hasSizeLessThan(200);
        }
        try {
            SmiParser.processes(text);
        } catch (ProbeFailure expected) {
            assertThat(expected.why()).hasSizeLessThan(200);
        }
    }

    private static String file(String name) throws IOException {
        try (var text = SmiParserTest.class.getResourceAsStream(name)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
