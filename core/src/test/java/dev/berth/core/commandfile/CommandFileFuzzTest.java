package dev.berth.core.commandfile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** The parser accepts any text, and printed blocks are parsed as equal blocks. */
class CommandFileFuzzTest {

    private static final Duration LONGEST = Duration.ofMillis(10);
    private static final int TRIES = 5;

    @Test
    void noTextBreaksTheParserAndWhatIsPrintedReadsTheSame() {
        int blocks = 0;
        for (long seed = 0; seed < 10_000; seed++) {
            blocks += read(seed);
        }
        assertThat(blocks).as("blocks among the random texts").isGreaterThan(10_000);
    }

    @Test
    void everyTextByTheGrammarIsGood() {
        for (long seed = 0; seed < 2_000; seed++) {
            var random = new RandomText(seed);
            var mode = random.mode();
            assertThat(CommandFile.parse(mode, random.grammatical(mode)).problems())
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    @Tag("soak-fuzz")
    void noneOfAMillionTextsBreaksTheParserOrHoldsItUp() {
        long from = Long.getLong("berth.soak.from", 1_000_000);
        long to = from + Long.getLong("berth.soak.inputs", 1_000_000);
        for (long seed = from; seed < to; seed++) {
            read(seed);
            isQuick(seed);
        }
    }

    @Test
    @Tag("soak-fuzz")
    void aFileTenTimesAsLargeTakesNoMoreThanItsShare() {
        for (var piece : List.of("9", "\"", "\\", "#", " ", "\n", "1\n", "x\n\n", "1\na\n20\n\n")) {
            long small = best(piece.repeat(100_000));
            long large = best(piece.repeat(1_000_000));
            assertThat(large)
                    .as("nanoseconds for many of %s", piece)
                    .isLessThan(60 * small + 50_000_000);
        }
    }

    private static int read(long seed) {
        var random = new RandomText(seed);
        var mode = random.mode();
        var text = random.next(mode);
        try {
            var blocks = CommandFile.parse(mode, text).blocks();
            var again = CommandFile.parse(mode, CommandFile.print(mode, blocks));
            if (!again.problems().isEmpty()
                    || !withoutLines(again.blocks()).equals(withoutLines(blocks))) {
                throw new AssertionError("seed " + seed + " reads otherwise when printed");
            }
            return blocks.size();
        } catch (RuntimeException broken) {
            throw new AssertionError("seed " + seed + ": " + broken.getMessage(), broken);
        }
    }

    private static void isQuick(long seed) {
        var random = new RandomText(seed);
        var mode = random.mode();
        var text = random.next(mode);
        // The machine may be busy for a while, so one fast run of several is enough.
        for (int i = 0; i < TRIES; i++) {
            long began = System.nanoTime();
            CommandFile.parse(mode, text);
            if (System.nanoTime() - began <= LONGEST.toNanos()) {
                return;
            }
        }
        throw new AssertionError("seed " + seed + " took longer than " + LONGEST);
    }

    private static long best(String text) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            long began = System.nanoTime();
            CommandFile.parse(FileMode.SINGLE, text);
            best = Math.min(best, System.nanoTime() - began);
        }
        return best;
    }

    private static List<Block> withoutLines(List<Block> blocks) {
        return blocks.stream()
                .map(b -> new Block(0, b.queue(), b.commands(), b.memoryMib(), b.gpuCount()))
                .toList();
    }
}
