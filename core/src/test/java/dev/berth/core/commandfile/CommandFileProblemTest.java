package dev.berth.core.commandfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A problem names its line, and the blocks around it stay valid. */
class CommandFileProblemTest {

    private static final String GOOD_SINGLE = "1\necho good\n20\n\n";
    private static final String GOOD_MULTI = "1\necho good\n2\n20\n\n";

    @ParameterizedTest(name = "{0}: line {3} {2}")
    @MethodSource("singles")
    void aBadBlockOfASingleFileIsNamedAndTheOthersLoad(
            String what, String block, String code, int line) {
        isNamed(
                FileMode.SINGLE,
                GOOD_SINGLE,
                block,
                new BlockProblem(line, code).with("what", what));
    }

    @ParameterizedTest(name = "{0}: line {3} {2}")
    @MethodSource("multis")
    void aBadBlockOfAMultiFileIsNamedAndTheOthersLoad(
            String what, String block, String code, int line) {
        isNamed(FileMode.MULTI, GOOD_MULTI, block, new BlockProblem(line, code).with("what", what));
    }

    /** Lines are counted from the first line of the block. */
    static Stream<Arguments> singles() {
        return Stream.of(
                arguments("no memory", "1\npython a.py", "no_memory", 2),
                arguments("no memory after two commands", "1\na\nb", "no_memory", 3),
                arguments("text for memory", "1\na\nmuch", "no_memory", 3),
                arguments("megabytes", "1\na\n20 MB", "no_memory", 3),
                arguments("text queue", "one\na\n20", "bad_queue", 1),
                arguments("commands only", "a\nb", "bad_queue", 1),
                arguments("queue below zero", "-1\na\n20", "bad_queue", 1),
                arguments("queue with a unit", "1 GB\na\n20", "bad_queue", 1),
                arguments("queue with a decimal", "1.0\na\n20", "bad_queue", 1),
                arguments("queue too large", "2147483648\na\n20", "bad_queue", 1),
                arguments("queue far too large", "9".repeat(99) + "\na\n20", "bad_queue", 1),
                arguments("a range for a queue", "1-2\na\n20", "bad_queue", 1),
                arguments("a pair for a queue", "1,2\na\n20", "bad_queue", 1),
                arguments("no command", "1\n20", "no_command", 1),
                arguments("numbers only", "1\n2\n20", "no_command", 1),
                arguments("empty quotes", "1\n\"\"\n20", "no_command", 2),
                arguments("quotes around spaces", "1\na\n\" \u3000\"\n20", "no_command", 3),
                arguments("comma line alone", "3,20", "no_command", 1),
                arguments("memory below zero", "1\na\n-1", "bad_memory", 3),
                arguments("memory beyond measure", "1\na\n1000000.1", "bad_memory", 3),
                arguments("endless memory", "1\na\n" + "9".repeat(5000), "bad_memory", 3),
                arguments("a range for memory", "1\na\n20-40", "bad_memory", 3),
                arguments("comma form, negative", "a\n3,-20", "bad_memory", 2),
                arguments("comma form, no whole queue", "a\n3.5,20", "bad_queue", 2),
                arguments("comma form, negative queue", "a\n-3,20", "bad_queue", 2),
                arguments("both forms at once", "1\na\n3,20", "number_inside", 3),
                arguments("number in comma form", "a\n5\n3,20", "number_inside", 2),
                arguments("no blank between", "1\na\n20\n2\nb\n25", "number_inside", 3),
                arguments("a number for a command", "1\na\n5 GB\nb\n20", "number_inside", 3),
                arguments("a count", "1\na\n2\n20", "multi_in_single", 3),
                arguments("a range of cards", "1\na\nb\n2-4\n20", "multi_in_single", 4),
                arguments("one word", "a", "one_line", 1),
                arguments("one number", "1", "one_line", 1),
                arguments("NUL", "1\na\u0000b\n20", "control_character", 2),
                arguments("escape", "1\n\u001B[0m\n20", "control_character", 2),
                arguments("delete", "1\na\u007F\n20", "control_character", 2),
                arguments("NUL in a number", "1\na\n2\u00000", "control_character", 3),
                arguments("continued", "1\na \\\nb\n20", "continued", 2),
                arguments("lost bytes", "1\na \uFFFD\n20", "not_utf8", 2),
                arguments("half a character", "1\na \uD800b\n20", "not_utf8", 2),
                arguments("too long", "1\n" + "é".repeat(1 << 19) + "\n20", "too_long", 2));
    }

    static Stream<Arguments> multis() {
        return Stream.of(
                arguments("no count", "1\na\n20", "no_count", 2),
                arguments("text for a count", "1\na\ntwo\n20", "no_count", 3),
                arguments("no card", "1\na\n0\n20", "bad_count", 3),
                arguments("upside down", "1\na\n4-2\n20", "bad_count", 3),
                arguments("from no card", "1\na\n0-2\n20", "bad_count", 3),
                arguments("too many cards", "1\na\n1025\n20", "bad_count", 3),
                arguments("a decimal for a count", "1\na\n1.5\n20", "bad_count", 3),
                arguments("a unit on a count", "1\na\n2 GB\n20", "bad_count", 3),
                arguments("a negative count", "1\na\n-2\n20", "bad_count", 3),
                arguments("a pair for a count", "1\na\n2,4\n20", "bad_count", 3),
                arguments("comma form", "a\n3,20", "single_in_multi", 2),
                arguments("no command", "1\n2\n20", "no_command", 1),
                arguments("neither", "1\n20", "no_command", 1),
                arguments("text queue", "one\na\n2\n20", "bad_queue", 1),
                arguments("no memory", "1\na\n2\nmuch", "no_memory", 4),
                arguments("number inside", "1\na\n5\nb\n2\n20", "number_inside", 3));
    }

    @Test
    void aLimitIsNotAProblem() {
        var longest = "é".repeat((1 << 19) - 1) + "x";
        assertThat(CommandFile.parse(FileMode.SINGLE, "1\n" + longest + "\n20").problems())
                .isEmpty();
    }

    @Test
    void aCommentBehindANumberMayHoldLostBytes() {
        assertThat(CommandFile.parse(FileMode.SINGLE, "1 #\uFFFD\na\n20 #\uFFFD").problems())
                .isEmpty();
    }

    @Test
    void theSentenceShowsABoundedPieceOfTheLine() {
        var line = "😀".repeat(1000);
        var problem = CommandFile.parse(FileMode.SINGLE, line + "\na\n20").problems().getFirst();
        assertThat(sentence(problem)).contains("\"" + "😀".repeat(40) + "…\"").hasSizeLessThan(400);
    }

    @Test
    void theNumberOfProblemsIsLimited() {
        var file = CommandFile.parse(FileMode.SINGLE, "x\n\n".repeat(5000) + "1\na\n20\n");
        assertThat(file.problems()).hasSize(CommandFile.MAX_PROBLEMS + 1);
        assertThat(file.problems().getLast())
                .extracting(BlockProblem::line, BlockProblem::code)
                .containsExactly(2 * CommandFile.MAX_PROBLEMS + 1, "command.more_problems");
        assertThat(file.blocks()).hasSize(1);
    }

    @Test
    void theNumberOfTasksIsLimited() {
        var most = "1\na\n20\n\n".repeat(CommandFile.MAX_BLOCKS);
        assertThat(CommandFile.parse(FileMode.SINGLE, most).problems()).isEmpty();
        var more = CommandFile.parse(FileMode.SINGLE, most + "2\nb\n20\n\n3\nc\n20\n");
        assertThat(more.blocks()).hasSize(CommandFile.MAX_BLOCKS);
        assertThat(more.problems())
                .extracting(BlockProblem::line, BlockProblem::code)
                .containsExactly(tuple(4 * CommandFile.MAX_BLOCKS + 1, "command.too_many"));
    }

    private static void isNamed(FileMode mode, String good, String block, BlockProblem expected) {
        var file = CommandFile.parse(mode, good + block + "\n\n" + good);
        int above = (int) good.lines().count();
        assertThat(file.problems())
                .extracting(BlockProblem::line, BlockProblem::code)
                .as(expected.params().get("what"))
                .containsExactly(tuple(above + expected.line(), "command." + expected.code()));
        assertThat(sentence(file.problems().getFirst())).matches("[A-Z][^\\n]{20,}[.?]");
        assertThat(file.blocks())
                .extracting(Block::commands)
                .containsExactly(List.of("echo good"), List.of("echo good"));
    }

    private static String sentence(BlockProblem problem) {
        return Catalogue.in(Language.ENGLISH).sentence("block", problem.code(), problem.params());
    }

    @Test
    void problemsOfBothKindsAreOrderedByLineAndCut() {
        var file = CommandFile.parse(FileMode.SINGLE, "x\na\n1\n");
        var others = new ArrayList<BlockProblem>();
        for (int line = 2000; line > 0; line--) {
            others.add(new BlockProblem(line, "other"));
        }
        var few = file.problemsWith(others.subList(1998, 2000));
        assertThat(few).extracting(BlockProblem::line).containsExactly(1, 1, 2);
        var many = file.problemsWith(others);
        assertThat(many).hasSize(CommandFile.MAX_PROBLEMS + 1);
        assertThat(many.getLast().code()).isEqualTo("command.more_problems");
    }
}
