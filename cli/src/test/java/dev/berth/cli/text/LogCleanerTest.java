package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;

class LogCleanerTest {

    private static String cleaned(byte[] bytes, int... cuts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(out, false, StandardCharsets.UTF_8);
        LogCleaner cleaner = new LogCleaner(print);
        int from = 0;
        for (int cut : cuts) {
            cleaner.write(Arrays.copyOfRange(bytes, from, cut));
            from = cut;
        }
        cleaner.write(Arrays.copyOfRange(bytes, from, bytes.length));
        cleaner.finish();
        print.flush();
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The same as cleaning each line alone, wherever the pieces are cut. */
    @Test
    void piecesMakeNoDifference() {
        String text = "a\tb\n\n训练 1%\r2%\r\n\u001b[31mred\u001b[0m\nplain\n\u001b]0;x\u0007end";
        String expected =
                Arrays.stream(text.split("\n"))
                        .map(SafeText::logLine)
                        .collect(Collectors.joining("\n", "", "\n"));
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertThat(cleaned(bytes)).isEqualTo(expected);
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            int[] cuts = random.ints(3, 0, bytes.length).sorted().toArray();
            assertThat(cleaned(bytes, cuts)).as(Arrays.toString(cuts)).isEqualTo(expected);
        }
    }

    @Test
    void aLongLineKeepsItsEnd() {
        String text = "x".repeat(1_500_000) + "\nnext\n";
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int[] cuts : new int[][] {{}, {1_000_000}, {1_499_999}, {1_500_000}, {1_500_001}}) {
            assertThat(cleaned(bytes, cuts)).as(Arrays.toString(cuts)).isEqualTo(text);
        }
        assertThat(cleaned(bytes, 700_000, 1_400_000)).isEqualTo(text);
    }

    @Test
    void aLineWithoutEndDoesNotFillTheMemory() {
        byte[] line = new byte[5 * 1024 * 1024];
        Arrays.fill(line, (byte) 'x');
        assertThat(cleaned(line, 2_000_000, 4_000_000)).hasSize(line.length);
    }
}
