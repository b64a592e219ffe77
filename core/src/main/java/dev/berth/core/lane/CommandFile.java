package dev.berth.core.lane;

import java.util.ArrayList;
import java.util.List;

/**
 * What a command file says.
 *
 * @param blocks the good ones, in the file's order
 * @param problems the others, in the file's order
 */
public record CommandFile(Mode mode, List<Block> blocks, List<Problem> problems) {

    /** A file that is something else altogether need not be told so a million times. */
    static final int MOST_PROBLEMS = 1000;

    /** More than a person may have waiting at once are no use, and cost memory. */
    static final int MOST_BLOCKS = 10_000;

    private static final String WORK_DIR = "{work_dir}";
    private static final String UNI_ID = "{uni_id}";

    public CommandFile {
        blocks = List.copyOf(blocks);
        problems = List.copyOf(problems);
    }

    /** Reads any text at all: what is wrong with it comes back as problems. */
    public static CommandFile parse(Mode mode, String text) {
        var gathered = new Gathered(mode);
        var lines = new ArrayList<Line>();
        int number = 0;
        int at = 0;
        while (at < text.length()) {
            int end = endOfLine(text, at);
            var line = Line.stripped(text, at, end);
            number++;
            at = afterLine(text, end);
            if (!line.isEmpty() && line.charAt(0) != '#') {
                lines.add(new Line(number, line));
            }
            if (!lines.isEmpty() && (line.isEmpty() || at == text.length())) {
                gathered.add(lines);
                lines.clear();
            }
        }
        return new CommandFile(mode, gathered.blocks, gathered.problems);
    }

    /** The blocks in the plain form, from which they are read again as they are. */
    public static String print(Mode mode, List<Block> blocks) {
        var text = new StringBuilder();
        for (var block : blocks) {
            text.append(text.isEmpty() ? "" : "\n").append(block.queue()).append('\n');
            for (var command : block.commands()) {
                text.append(Quotes.whereNeeded(command)).append('\n');
            }
            if (mode == Mode.MULTI) {
                var count = block.count();
                text.append(count.least());
                text.append(count.most() > count.least() ? "-" + count.most() : "").append('\n');
            }
            text.append(block.gigabytes()).append('\n');
        }
        return text.toString();
    }

    /**
     * The command with its two variables put in. All other braces are the shell's, and what is put
     * in is not looked at again.
     */
    public static String filled(String command, String workDir, String uniId) {
        var filled = new StringBuilder(command.length());
        int at = 0;
        for (int brace = command.indexOf('{'); brace >= 0; brace = command.indexOf('{', at)) {
            filled.append(command, at, brace);
            if (command.startsWith(WORK_DIR, brace)) {
                filled.append(workDir);
                at = brace + WORK_DIR.length();
            } else if (command.startsWith(UNI_ID, brace)) {
                filled.append(uniId);
                at = brace + UNI_ID.length();
            } else {
                filled.append('{');
                at = brace + 1;
            }
        }
        return filled.append(command, at, command.length()).toString();
    }

    private static int endOfLine(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
            at++;
        }
        return at;
    }

    private static int afterLine(String text, int end) {
        boolean isBoth = text.startsWith("\r\n", end);
        return Math.min(text.length(), end + (isBoth ? 2 : 1));
    }

    /** What the blocks turned out to be, each kind up to its limit. */
    private static final class Gathered {
        private final Mode mode;
        private final List<Block> blocks = new ArrayList<>();
        private final List<Problem> problems = new ArrayList<>();
        private boolean isFull;

        Gathered(Mode mode) {
            this.mode = mode;
        }

        void add(List<Line> lines) {
            switch (BlockForm.read(mode, lines)) {
                case BlockForm.Good(Block block) -> add(block);
                case BlockForm.Bad(Problem problem) -> add(problem);
            }
        }

        private void add(Block block) {
            if (blocks.size() < MOST_BLOCKS) {
                blocks.add(block);
            } else if (!isFull) {
                isFull = true;
                problems.add(
                        new Problem(
                                block.line(),
                                "command.too_many",
                                "A command file may have "
                                        + MOST_BLOCKS
                                        + " tasks; from here on they are left out. Make two files"
                                        + " of it."));
            }
        }

        private void add(Problem problem) {
            if (problems.size() < MOST_PROBLEMS) {
                problems.add(problem);
            } else if (problems.size() == MOST_PROBLEMS) {
                problems.add(
                        new Problem(
                                problem.line(),
                                "command.more_problems",
                                "From here on more blocks are wrong than are listed. Is this a"
                                        + " command file?"));
            }
        }
    }
}
