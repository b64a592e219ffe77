package dev.berth.core.commandfile;

import dev.berth.core.commandfile.NumberLine.NumberRange;
import dev.berth.core.commandfile.NumberLine.Pair;
import dev.berth.core.commandfile.NumberLine.SingleNumber;
import dev.berth.core.task.Need.GpuCount;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses one block in any of the supported forms. */
final class BlockParser {

    sealed interface BlockResult {}

    record Valid(Block block) implements BlockResult {}

    record Invalid(BlockProblem problem) implements BlockResult {}

    private static final int MAX_GPUS = 1024;
    private static final int MAX_BYTES = 1 << 20;

    private final FileMode mode;
    private final List<SourceLine> lines;

    private BlockParser(FileMode mode, List<SourceLine> lines) {
        this.mode = mode;
        this.lines = lines;
    }

    /**
     * @param lines at least one
     */
    static BlockResult parse(FileMode mode, List<SourceLine> lines) {
        return new BlockParser(mode, lines).parse();
    }

    private BlockResult parse() {
        for (var line : lines) {
            if (line.hasControlCharacters()) {
                return bad(line, "control_character");
            }
        }
        var last = NumberLine.parse(lines.getLast().text());
        if (last.isPresent() && last.get() instanceof Pair pair) {
            return mode == FileMode.SINGLE ? commaForm(pair) : commaFormInMulti();
        }
        if (lines.size() == 1) {
            return bad(expectedParts(), lines.getFirst(), "one_line");
        }
        return queueFirstForm(last);
    }

    /** Commands first, then {@code queue,memory}. */
    private BlockResult commaForm(Pair pair) {
        var line = lines.getLast();
        if (lines.size() > 1 && isNumbers(lines.getFirst())) {
            return bad("two_queues", line, "number_inside");
        }
        var queue = pair.first().intUpTo(Integer.MAX_VALUE);
        if (queue.isEmpty()) {
            return badQueue(line);
        }
        var memory = pair.second().mib();
        if (memory.isEmpty()) {
            return badMemory(line);
        }
        return block(
                new Figures(queue.getAsInt(), memory.getAsLong(), GpuCount.of(1)),
                lines.subList(0, lines.size() - 1));
    }

    private BlockResult commaFormInMulti() {
        return bad(lines.getLast(), "single_in_multi");
    }

    /** Queue, commands, in multi files the count, memory. */
    private BlockResult queueFirstForm(Optional<NumberLine> last) {
        if (!(NumberLine.parse(lines.getFirst().text()).orElse(null) instanceof SingleNumber first)
                || first.number().intUpTo(Integer.MAX_VALUE).isEmpty()) {
            return badQueue(lines.getFirst());
        }
        if (last.isEmpty()) {
            return badLine(lines.getLast(), "no_memory");
        }
        if (!(last.get() instanceof SingleNumber number) || number.number().mib().isEmpty()) {
            return badMemory(lines.getLast());
        }
        int queue = first.number().intUpTo(Integer.MAX_VALUE).getAsInt();
        long memory = number.number().mib().getAsLong();
        var between = lines.subList(1, lines.size() - 1);
        if (between.isEmpty()) {
            return noCommand(lines.getFirst());
        }
        return mode == FileMode.SINGLE
                ? single(queue, memory, between)
                : multi(queue, memory, between);
    }

    private BlockResult single(int queue, long memory, List<SourceLine> commands) {
        var last = commands.getLast();
        boolean hasCount =
                commands.size() > 1
                        && isNumbers(last)
                        && commands.subList(0, commands.size() - 1).stream()
                                .noneMatch(BlockParser::isNumbers);
        if (hasCount) {
            return bad(last, "multi_in_single");
        }
        return block(new Figures(queue, memory, GpuCount.of(1)), commands);
    }

    private BlockResult multi(int queue, long memory, List<SourceLine> between) {
        var line = between.getLast();
        var numbers = NumberLine.parse(line.text());
        if (numbers.isEmpty()) {
            return badLine(line, "no_count");
        }
        var count = count(numbers.get());
        if (count.isEmpty()) {
            return badNumber(line, "bad_count", MAX_GPUS);
        }
        return block(
                new Figures(queue, memory, count.get()), between.subList(0, between.size() - 1));
    }

    private static Optional<GpuCount> count(NumberLine numbers) {
        return switch (numbers) {
            case SingleNumber(NumberLiteral figure) -> count(figure, figure);
            case NumberRange(NumberLiteral min, NumberLiteral max) -> count(min, max);
            case Pair _ -> Optional.empty();
        };
    }

    private static Optional<GpuCount> count(NumberLiteral from, NumberLiteral to) {
        int min = from.intUpTo(MAX_GPUS).orElse(0);
        int max = to.intUpTo(MAX_GPUS).orElse(0);
        return min >= 1 && max >= min ? Optional.of(new GpuCount(min, max)) : Optional.empty();
    }

    private BlockResult block(Figures figures, List<SourceLine> lines) {
        if (lines.isEmpty() || lines.stream().allMatch(BlockParser::isNumbers)) {
            return noCommand(this.lines.getFirst());
        }
        var commands = new ArrayList<String>();
        long bytes = 0;
        for (var line : lines) {
            if (isNumbers(line)) {
                return bad(line, "number_inside");
            }
            var command = CommandQuotes.unquote(line.text()).orElse(line.text());
            if (command.chars().allMatch(c -> SourceLine.isSpace((char) c))) {
                return bad("quotes", line, "no_command");
            }
            if (hasLostBytes(command)) {
                return bad(line, "not_utf8");
            }
            if (isContinued(command)) {
                return bad(line, "continued");
            }
            bytes += 1 + bytes(command);
            commands.add(command);
        }
        if (bytes > MAX_BYTES) {
            return new Invalid(
                    problem(lines.getFirst(), "too_long")
                            .with("bytes", bytes)
                            .with("max", MAX_BYTES));
        }
        return new Valid(
                new Block(
                        this.lines.getFirst().number(),
                        figures.queue(),
                        commands,
                        figures.memoryMib(),
                        figures.count()));
    }

    /** Whether the shell would join the next line to this one. */
    private static boolean isContinued(String command) {
        int end = command.length();
        while (end > 0 && command.charAt(end - 1) == '\\') {
            end--;
        }
        return (command.length() - end) % 2 == 1;
    }

    /** Values of the number lines. */
    private record Figures(int queue, long memoryMib, GpuCount count) {}

    private static boolean isNumbers(SourceLine line) {
        return NumberLine.parse(line.text()).isPresent();
    }

    /**
     * Invalid UTF-8 was replaced when the file was read, so the command is no longer the original.
     */
    private static boolean hasLostBytes(String command) {
        return command.codePoints().anyMatch(c -> c == '\uFFFD' || SourceLine.isLoneSurrogate(c));
    }

    private static long bytes(String command) {
        return command.codePoints()
                .mapToLong(c -> c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4)
                .sum();
    }

    private static BlockResult badQueue(SourceLine line) {
        return badNumber(line, "bad_queue", Integer.MAX_VALUE);
    }

    private static BlockResult badMemory(SourceLine line) {
        return badNumber(line, "bad_memory", NumberLiteral.MAX_GB);
    }

    private BlockResult noCommand(SourceLine line) {
        return bad(expectedParts(), line, "no_command");
    }

    /** The variant of a sentence that lists the parts of a block. */
    private String expectedParts() {
        return switch (mode) {
            case SINGLE -> "single";
            case MULTI -> "multi";
        };
    }

    private static Invalid bad(SourceLine line, String code) {
        return new Invalid(problem(line, code));
    }

    private static Invalid bad(String variant, SourceLine line, String code) {
        return new Invalid(problem(line, code).variant(variant));
    }

    /** The sentence quotes the line. */
    private static Invalid badLine(SourceLine line, String code) {
        return new Invalid(problem(line, code).with("line_text", line.excerpt()));
    }

    private static Invalid badNumber(SourceLine line, String code, long max) {
        return new Invalid(problem(line, code).with("line_text", line.excerpt()).with("max", max));
    }

    private static BlockProblem problem(SourceLine line, String code) {
        return new BlockProblem(line.number(), "command." + code);
    }
}
