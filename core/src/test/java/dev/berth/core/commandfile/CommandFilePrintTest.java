package dev.berth.core.commandfile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Need.GpuCount;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class CommandFilePrintTest {

    @Test
    void blocksArePrintedInThePlainForm() {
        var mixed = CommandFile.parse(FileMode.SINGLE, CommandFileExamples.text("mixed.txt"));
        assertThat(CommandFile.print(FileMode.SINGLE, mixed.blocks()))
                .isEqualTo(
                        """
                        1
                        python train.py --lr 0.1  # the shell's own comment
                        20

                        2
                        python -c "print('hi')"
                        rm -rf {work_dir}/out
                        12.5

                        3
                        python prepare.py
                        python train.py --tag "#1"
                        20

                        4
                        cd sub
                        make -j4
                        0
                        """);
    }

    @Test
    void aMultiFileIsPrintedWithItsCounts() {
        var blocks =
                List.of(
                        new Block(1, 1, List.of("a"), 20_480, GpuCount.of(2)),
                        new Block(1, 2, List.of("b"), 20_788, new GpuCount(2, 4)));
        assertThat(CommandFile.print(FileMode.MULTI, blocks))
                .isEqualTo("1\na\n2\n20\n\n2\nb\n2-4\n20.3\n");
    }

    @Test
    void nothingIsPrintedAsNothing() {
        assertThat(CommandFile.print(FileMode.SINGLE, List.of())).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "# a", "20", "1 #x", "2-4", "3,20", "-1", "\"a b\"", " a", "a\u3000", "a\t",
                " a\\\\"
            })
    void aCommandThatWouldBeMistakenIsQuoted(String command) {
        var text = printed(command);
        assertThat(text).startsWith("1\n\"").endsWith("\"\n20\n");
        assertThat(CommandFile.parse(FileMode.SINGLE, text).blocks())
                .extracting(Block::commands)
                .containsExactly(List.of(command));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"a # b", "\"a\" \"b\"", "a\"b", "20 x", "a \\", "\"a\\\""})
    void aCommandThatIsReadAsItStandsIsNotQuoted(String command) {
        assertThat(printed(command)).isEqualTo("1\n" + command + "\n20\n");
    }

    @Test
    void everyAmountOfMemoryIsReadAsItWasPrinted() {
        for (long mib = 0; mib < 5000; mib++) {
            assertThat(again(mib)).isEqualTo(mib);
        }
        for (long mib = NumberLiteral.MAX_GB * 1024L;
                mib > NumberLiteral.MAX_GB * 1024L - 2000;
                mib--) {
            assertThat(again(mib)).isEqualTo(mib);
        }
    }

    private static long again(long mib) {
        var block = new Block(1, 1, List.of("a"), mib, GpuCount.of(1));
        var text = CommandFile.print(FileMode.SINGLE, List.of(block));
        assertThat(text.length()).as(text).isLessThan("1\na\n1000000.1234\n".length() + 1);
        return CommandFile.parse(FileMode.SINGLE, text).blocks().getFirst().memoryMib();
    }

    private static String printed(String command) {
        return CommandFile.print(
                FileMode.SINGLE,
                List.of(new Block(1, 1, List.of(command), 20_480, GpuCount.of(1))));
    }
}
