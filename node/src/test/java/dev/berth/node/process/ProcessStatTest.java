package dev.berth.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.node.process.ProcessStat.EnvironmentState;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

class ProcessStatTest {

    @ParameterizedTest
    @ValueSource(strings = {"bash", "a b", "(x) y)", ") R 1 1 1 (", "tmux: server", ""})
    void readsALineWhateverTheProgramIsCalled(String program) {
        assertThat(stat(program, 'S', 1))
                .contains(
                        new ProcessStat(
                                4711, program, 'S', 17, 19, 1, 987654321, EnvironmentState.NONE));
    }

    @Test
    void readsNegativeNumbers() {
        var line = "1 (x) S 0 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 5 1 1 1\n";

        assertThat(ProcessStat.parse(bytes(line)).orElseThrow().startTick()).isEqualTo(5);
    }

    @Test
    void aZombieIsNotAlive() {
        assertThat(stat("x", 'Z', 1).orElseThrow().isAlive()).isFalse();
        assertThat(stat("x", 'X', 0).orElseThrow().isAlive()).isFalse();
        assertThat(stat("x", 'D', 1).orElseThrow().isAlive()).isTrue();
        assertThat(stat("x", 'T', 1).orElseThrow().isAlive()).isTrue();
    }

    @Test
    void tellsWhetherThereIsAnEnvironmentToRead() {
        assertThat(environment(4096, 1000, 2000, 3000)).isEqualTo(EnvironmentState.PRESENT);
        assertThat(environment(4096, 1000, 2000, 2000)).isEqualTo(EnvironmentState.EMPTY);
        assertThat(environment(4096, 0, 0, 0)).isEqualTo(EnvironmentState.LOADING);
        assertThat(environment(0, 0, 0, 0)).as("the kernel's").isEqualTo(EnvironmentState.NONE);
        assertThat(environment(4096, 1, 0, 0))
                .as("another user's")
                .isEqualTo(EnvironmentState.NONE);
    }

    private static EnvironmentState environment(long memory, long code, long begin, long end) {
        var line =
                "1 (x) S 0 1 1 0 -1 0 1 1 1 1 1 1 1 1 20 0 1 0 5 %d 1 18446744073709551615 %d 27"
                                .formatted(memory, code)
                        + " 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 "
                        + begin
                        + " "
                        + end
                        + " 0\n";
        return ProcessStat.parse(bytes(line)).orElseThrow().environment();
    }

    @Test
    void aProgramWhoseFirstThreadHasEndedIsAlive() {
        assertThat(stat("x", 'Z', 4).orElseThrow().isAlive()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1 (x", "1 (x)", "1 (x) S", "1 (x) S 1 2 3", "(x) S 1"})
    void rejectsOtherFormats(String line) {
        assertThat(ProcessStat.parse(bytes(line))).isEmpty();
    }

    private static Optional<ProcessStat> stat(String program, char state, int threads) {
        return ProcessStat.parse(
                bytes(
                        "4711 (%s) %c 17 18 19 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 %d 0 987654321 11 12 13\n"
                                .formatted(program, state, threads)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
