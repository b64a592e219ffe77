package dev.berth.core.lane;

import dev.berth.core.lane.Numerals.One;
import dev.berth.core.lane.Numerals.Pair;
import dev.berth.core.lane.Numerals.Range;
import dev.berth.core.task.Need.Count;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads one block, whichever of the forms it has. */
final class BlockForm {

    /** What a block turned out to be. */
    sealed interface Outcome {}

    record Good(Block block) implements Outcome {}

    record Bad(Problem problem) implements Outcome {}

    private static final int MOST_CARDS = 1024;
    private static final int LARGEST_BYTES = 1 << 20;

    private final Mode mode;
    private final List<Line> lines;

    private BlockForm(Mode mode, List<Line> lines) {
        this.mode = mode;
        this.lines = lines;
    }

    /**
     * @param lines at least one
     */
    static Outcome read(Mode mode, List<Line> lines) {
        return new BlockForm(mode, lines).read();
    }

    private Outcome read() {
        for (var line : lines) {
            if (line.hasControls()) {
                return bad(
                        line,
                        "control_character",
                        "This line holds a control character, which no command file may have."
                                + " Save the file as plain UTF-8 text.");
            }
        }
        var last = Numerals.of(lines.getLast().text());
        if (last.isPresent() && last.get() instanceof Pair pair) {
            return mode == Mode.SINGLE ? commaForm(pair) : commaInMulti();
        }
        if (lines.size() == 1) {
            return bad(
                    lines.getFirst(),
                    "one_line",
                    "This block is one line alone. A task is " + parts() + ".");
        }
        return idFirst(last);
    }

    /** Commands first, then {@code queue,memory}. */
    private Outcome commaForm(Pair pair) {
        var line = lines.getLast();
        if (lines.size() > 1 && isNumbers(lines.getFirst())) {
            return bad(
                    line,
                    "number_inside",
                    "This block begins with a number and ends in queue,memory: leave one of the two"
                            + " out. Decimals are written with a point, like 20.5.");
        }
        var queue = pair.first().upTo(Integer.MAX_VALUE);
        if (queue.isEmpty()) {
            return badQueue(line, "Before the comma stands");
        }
        var memory = pair.second().mib();
        if (memory.isEmpty()) {
            return badMemory(line);
        }
        return whole(
                new Figures(queue.getAsInt(), memory.getAsLong(), Count.of(1)),
                lines.subList(0, lines.size() - 1));
    }

    private Outcome commaInMulti() {
        return bad(
                lines.getLast(),
                "single_in_multi",
                "The form that ends in queue,memory is for files of the single mode. Here a task is"
                        + " "
                        + parts()
                        + ".");
    }

    /** Queue, commands, in multi files the count, memory. */
    private Outcome idFirst(Optional<Numerals> last) {
        if (!(Numerals.of(lines.getFirst().text()).orElse(null) instanceof One first)
                || first.figure().upTo(Integer.MAX_VALUE).isEmpty()) {
            return badQueue(lines.getFirst(), "The first line of a block is");
        }
        if (last.isEmpty()) {
            return bad(
                    lines.getLast(),
                    "no_memory",
                    "The last line of a block is its memory in GB, like 20, not "
                            + lines.getLast().shown()
                            + ".");
        }
        if (!(last.get() instanceof One one) || one.figure().mib().isEmpty()) {
            return badMemory(lines.getLast());
        }
        int queue = first.figure().upTo(Integer.MAX_VALUE).getAsInt();
        long memory = one.figure().mib().getAsLong();
        var between = lines.subList(1, lines.size() - 1);
        if (between.isEmpty()) {
            return noCommand(lines.getFirst());
        }
        return mode == Mode.SINGLE ? single(queue, memory, between) : multi(queue, memory, between);
    }

    private Outcome single(int queue, long memory, List<Line> commands) {
        var last = commands.getLast();
        boolean hasCount =
                commands.size() > 1
                        && isNumbers(last)
                        && commands.subList(0, commands.size() - 1).stream()
                                .noneMatch(BlockForm::isNumbers);
        if (hasCount) {
            return bad(
                    last,
                    "multi_in_single",
                    "Two numbers end this block, as in files of the multi mode. Here every task"
                            + " takes one GPU: leave this line out, or put the block into a multi"
                            + " file.");
        }
        return whole(new Figures(queue, memory, Count.of(1)), commands);
    }

    private Outcome multi(int queue, long memory, List<Line> between) {
        var line = between.getLast();
        var numbers = Numerals.of(line.text());
        if (numbers.isEmpty()) {
            return bad(
                    line,
                    "no_count",
                    "The line before the memory is the number of GPUs, like 2 or 2-4, not "
                            + line.shown()
                            + ". Files of the multi mode need it in every block.");
        }
        var count = count(numbers.get());
        if (count.isEmpty()) {
            return bad(
                    line,
                    "bad_count",
                    "The number of GPUs is a whole number from 1 to "
                            + MOST_CARDS
                            + ", or the least and the most like 2-4, not "
                            + line.shown()
                            + ".");
        }
        return whole(
                new Figures(queue, memory, count.get()), between.subList(0, between.size() - 1));
    }

    private static Optional<Count> count(Numerals numbers) {
        return switch (numbers) {
            case One(Figure figure) -> count(figure, figure);
            case Range(Figure least, Figure most) -> count(least, most);
            case Pair _ -> Optional.empty();
        };
    }

    private static Optional<Count> count(Figure from, Figure to) {
        int least = from.upTo(MOST_CARDS).orElse(0);
        int most = to.upTo(MOST_CARDS).orElse(0);
        return least >= 1 && most >= least ? Optional.of(new Count(least, most)) : Optional.empty();
    }

    private Outcome whole(Figures figures, List<Line> lines) {
        if (lines.isEmpty() || lines.stream().allMatch(BlockForm::isNumbers)) {
            return noCommand(this.lines.getFirst());
        }
        var commands = new ArrayList<String>();
        long bytes = 0;
        for (var line : lines) {
            if (isNumbers(line)) {
                return bad(
                        line,
                        "number_inside",
                        "A number alone is no command: is a blank line missing before it? If it is"
                                + " a command, put it into double quotes.");
            }
            var command = Quotes.removed(line.text()).orElse(line.text());
            if (command.chars().allMatch(c -> Line.isSpace((char) c))) {
                return bad(line, "no_command", "These quotes hold no command. Leave the line out.");
            }
            if (hasLostBytes(command)) {
                return bad(
                        line,
                        "not_utf8",
                        "This line holds bytes that are no UTF-8 text. Save the file as UTF-8.");
            }
            if (isContinued(command)) {
                return bad(
                        line,
                        "continued",
                        "A command is one line, and this one ends in a backslash. Write all of it"
                                + " on one line, or put it into a script.");
            }
            bytes += 1 + bytes(command);
            commands.add(command);
        }
        if (bytes > LARGEST_BYTES) {
            return bad(
                    lines.getFirst(),
                    "too_long",
                    "The commands of one block may have 1 MiB, these have "
                            + bytes
                            + " bytes. Put them into a script and run that.");
        }
        return new Good(
                new Block(
                        this.lines.getFirst().number(),
                        figures.queue(),
                        commands,
                        figures.memoryMib(),
                        figures.count()));
    }

    /** Whether the shell would take the next line for the rest of this one. */
    private static boolean isContinued(String command) {
        int end = command.length();
        while (end > 0 && command.charAt(end - 1) == '\\') {
            end--;
        }
        return (command.length() - end) % 2 == 1;
    }

    /** What the number lines say. */
    private record Figures(int queue, long memoryMib, Count count) {}

    private static boolean isNumbers(Line line) {
        return Numerals.of(line.text()).isPresent();
    }

    /** Bytes that are no text were replaced when the file was read: the command is another now. */
    private static boolean hasLostBytes(String command) {
        return command.codePoints().anyMatch(c -> c == '\uFFFD' || Line.isHalf(c));
    }

    private static long bytes(String command) {
        return command.codePoints()
                .mapToLong(c -> c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4)
                .sum();
    }

    private Outcome badQueue(Line line, String where) {
        return bad(
                line,
                "bad_queue",
                where
                        + " its queue id, a whole number from 0 to "
                        + Integer.MAX_VALUE
                        + ", not "
                        + line.shown()
                        + ". A task is "
                        + parts()
                        + ".");
    }

    private Outcome badMemory(Line line) {
        return bad(
                line,
                "bad_memory",
                "The memory of a task is a number of GB from 0 to "
                        + Figure.MOST_GB
                        + ", like 20 or 20.5, not "
                        + line.shown()
                        + ".");
    }

    private Outcome noCommand(Line line) {
        return bad(line, "no_command", "This block has no command. A task is " + parts() + ".");
    }

    private String parts() {
        return switch (mode) {
            case SINGLE -> "a queue id, its commands and the memory in GB, each on its own line";
            case MULTI ->
                    "a queue id, its commands, the number of GPUs and the memory in GB, each on its"
                            + " own line";
        };
    }

    private static Bad bad(Line line, String code, String detail) {
        return new Bad(new Problem(line.number(), "command." + code, detail));
    }
}
