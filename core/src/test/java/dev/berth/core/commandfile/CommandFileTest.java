package dev.berth.core.commandfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.core.task.Need.GpuCount;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class CommandFileTest {

    @Test
    void aSingleFileGivesQueueCommandsAndMemory() {
        assertThat(good(FileMode.SINGLE, CommandFileExamples.text("command_gpu.txt")))
                .containsExactly(
                        block(2, 1, 20, "python script.py --arg1 value1"),
                        block(9, 2, 25, "bash run.sh"));
    }

    @Test
    void aMultiFileGivesTheCountBeforeTheMemory() {
        assertThat(good(FileMode.MULTI, CommandFileExamples.text("command_gpus.txt")))
                .containsExactly(
                        new Block(
                                2,
                                1,
                                List.of("python script.py --arg1 value1"),
                                20 * 1024,
                                GpuCount.of(2)));
    }

    @Test
    void aQuotedFileGivesItsCommandsWithoutTheQuotes() {
        assertThat(good(FileMode.SINGLE, CommandFileExamples.text("command_bk.txt")))
                .containsExactly(car(5), flower(12));
        assertThat(good(FileMode.SINGLE, CommandFileExamples.text("command_bk_example.txt")))
                .containsExactly(car(2), flower(9));
    }

    @Test
    void theCommaFormGivesItsCommandsFirst() {
        var layout = CommandFileExamples.text("command_layout.txt");
        var text = layout.replaceFirst("队列ID,显存需求\\(GB\\)", "1,20");
        text = text.replaceFirst("队列ID,显存需求\\(GB\\)", "2,25");
        assertThat(good(FileMode.SINGLE, text))
                .containsExactly(
                        block(5, 1, 20, "命令1", "命令2", "命令3"), block(11, 2, 25, "命令1", "命令2"));
        assertThat(CommandFile.parse(FileMode.SINGLE, layout).problems())
                .as("the layout with words where numbers belong")
                .extracting(BlockProblem::line, BlockProblem::code)
                .containsExactly(tuple(5, "command.bad_queue"), tuple(11, "command.bad_queue"));
    }

    @Test
    void oneFileMayMixAllForms() {
        assertThat(good(FileMode.SINGLE, CommandFileExamples.text("mixed.txt")))
                .containsExactly(
                        block(4, 1, 20, "python train.py --lr 0.1  # the shell's own comment"),
                        new Block(
                                9,
                                2,
                                List.of("python -c \"print('hi')\"", "rm -rf {work_dir}/out"),
                                12_800,
                                GpuCount.of(1)),
                        block(15, 3, 20, "python prepare.py", "python train.py --tag \"#1\""),
                        block(20, 4, 0, "cd sub", "make -j4"));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "a\nb\n3,20",
                "a\nb\n3 , 20",
                "a\nb\n3，20 GB #both",
                "\uFEFFa\r\nb\r\n3,20\r\n",
                "a\rb\r3,20\r",
                "  a \t\n\u3000b\u00A0\n\u00A03,20\u3000",
                "\n\n \t \n# note\na\n   # note\nb\n3,20\n#note\n\n\n",
            })
    void whatSurroundsALineIsNoPartOfIt(String text) {
        var blocks = good(FileMode.SINGLE, text);
        assertThat(blocks).hasSize(1);
        assertThat(blocks.getFirst()).isEqualTo(block(blocks.getFirst().line(), 3, 20, "a", "b"));
    }

    @ParameterizedTest(name = "{0} is {1} MiB")
    @CsvSource({
        "20, 20480",
        "20 #free memory, 20480",
        "20#free memory, 20480",
        "020, 20480",
        "20.5, 20992",
        "20GB, 20480",
        "20 g, 20480",
        "20.5 G # all of it, 20992",
        ".5, 512",
        "20., 20480",
        "0, 0",
        "0.0, 0",
        "20.3, 20788",
        "0.0001, 1",
        "0.0009765625, 1",
        "0.00097656250000000000000000000000000001, 2",
        "0.99902343750000000000000000000000000001, 1024",
        "1000000, 1024000000",
    })
    void memoryIsRoundedUpToWholeMib(String line, long mib) {
        assertThat(good(FileMode.SINGLE, "1\na\n" + line))
                .extracting(Block::memoryMib)
                .containsExactly(mib);
    }

    @ParameterizedTest(name = "{0} is {1} to {2} cards")
    @CsvSource({
        "2, 2, 2",
        "2 #cards, 2, 2",
        "2-4, 2, 4",
        "2 - 4 #cards, 2, 4",
        "4-4, 4, 4",
        "1024, 1024, 1024",
    })
    void aCountIsANumberOrARange(String line, int least, int most) {
        assertThat(good(FileMode.MULTI, "1\na\n" + line + "\n20"))
                .extracting(Block::gpuCount)
                .containsExactly(new GpuCount(least, most));
    }

    @ParameterizedTest(name = "queue {0} is {1}")
    @CsvSource({"0, 0", "7 #queue, 7", "007, 7", "2147483647, 2147483647"})
    void aQueueIsAWholeNumber(String line, int queue) {
        assertThat(good(FileMode.SINGLE, line + "\na\n20"))
                .extracting(Block::queue)
                .containsExactly(queue);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "python a.py --tag \"#1\"",
                "\"a b\" \"c\"",
                "\"a b\" # c",
                "\"a",
                "a\"",
                "\"",
                "'a b'",
                "\"a\\\"",
                "\"a\\\\\" b\"",
                "7z x a.7z",
                "2to3 a.py",
                "1-2-3",
                "1,2,3",
                "1e3",
                "20 MB",
                "20 GBs",
                ".",
                "-",
                "+ 1",
                "a\tb",
                "{ echo ; }",
            })
    void aCommandIsKeptAsItStands(String command) {
        assertThat(good(FileMode.SINGLE, "1\n" + command + "\n20"))
                .extracting(Block::commands)
                .containsExactly(List.of(command));
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "\"a b\"|'a b'",
                "\" a \"|' a '",
                "\"20\"|'20'",
                "\"# no comment\"|'# no comment'",
                "\"echo \\\"hi\\\"\"|'echo \"hi\"'",
                "\"\\\"a b\\\"\"|'\"a b\"'",
                "\"a\\\\\\\\\"|'a\\\\'",
                "\"a\\n\\\\n\"|'a\\n\\\\n'",
            })
    void quotesAroundAWholeLineAreRemoved(String line, String command) {
        assertThat(good(FileMode.SINGLE, "1\n" + line + "\n20"))
                .extracting(Block::commands)
                .containsExactly(List.of(command));
        assertThat(good(FileMode.MULTI, "1\n" + line + "\n2\n20"))
                .extracting(Block::commands)
                .containsExactly(List.of(command));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "\n", " \n\t\n\u3000", "# nothing", "\uFEFF# nothing\n\n#\n", "\r\r"})
    void aFileOfNothingHasNoTasksAndNoProblems(String text) {
        assertThat(good(FileMode.SINGLE, text)).isEmpty();
    }

    @Test
    void onlyTheTwoVariablesAreFilledIn() {
        assertThat(filled("echo {work_dir} {uni_id} ${HOME} {x}"))
                .isEqualTo("echo /w {u}-1 ${HOME} {x}");
        assertThat(filled("awk '{print $1}' {{uni_id}}")).isEqualTo("awk '{print $1}' {{u}-1}");
        assertThat(filled("{work_dir}{work_dir}/{Work_dir}{work_dir"))
                .isEqualTo("/w/w/{Work_dir}{work_dir");
        assertThat(filled("{")).isEqualTo("{");
        assertThat(filled("")).isEmpty();
    }

    @Test
    void whatIsFilledInIsNotFilledAgain() {
        assertThat(CommandFile.withVariables("{work_dir} {uni_id}", "/{uni_id}", "{work_dir}"))
                .isEqualTo("/{uni_id} {work_dir}");
    }

    @Test
    void modesHaveApiNames() {
        assertThat(FileMode.parse("single")).contains(FileMode.SINGLE);
        assertThat(FileMode.parse("multi")).contains(FileMode.MULTI);
        assertThat(FileMode.parse("MULTI")).isEmpty();
        assertThat(FileMode.parse("")).isEmpty();
    }

    @Test
    void noCommandIsShownInALogLine() {
        assertThat(block(1, 1, 20, "echo secret").toString()).doesNotContain("secret");
    }

    private static String filled(String command) {
        return CommandFile.withVariables(command, "/w", "{u}-1");
    }

    private static List<Block> good(FileMode mode, String text) {
        var file = CommandFile.parse(mode, text);
        assertThat(file.problems()).isEmpty();
        assertThat(file.mode()).isEqualTo(mode);
        return file.blocks();
    }

    private static Block block(int line, int queue, int gigabytes, String... commands) {
        return new Block(line, queue, List.of(commands), gigabytes * 1024L, GpuCount.of(1));
    }

    private static Block car(int line) {
        return block(
                line,
                1,
                20,
                "rm -rf {work_dir}/experiments/car196/knowledge_base",
                "bash {work_dir}/scripts/set_hyperparameters.sh --experience_number 8",
                "bash {work_dir}/scripts/run_pipeline.sh car --uni_id {uni_id}");
    }

    private static Block flower(int line) {
        return block(
                line,
                2,
                20,
                "rm -rf {work_dir}/experiments/flower102/knowledge_base",
                "bash {work_dir}/scripts/set_hyperparameters.sh --experience_number 5",
                "bash {work_dir}/scripts/run_pipeline.sh flower --uni_id {uni_id}");
    }
}
