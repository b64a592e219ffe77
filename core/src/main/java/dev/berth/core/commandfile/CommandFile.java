package dev.berth.core.commandfile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A parsed command file.
 *
 * @param blocks the valid blocks, in the file's order
 * @param problems one for each invalid block, in the file's order
 */
public record CommandFile(FileMode mode, List<Block> blocks, List<BlockProblem> problems) {

    /** Limits the result for a file that is not a command file. */
    static final int MAX_PROBLEMS = 1000;

    /** No user may have more tasks waiting, so more blocks would only cost memory. */
    static final int MAX_BLOCKS = 10_000;

    private static final String WORK_DIR = "{work_dir}";
    private static final String UNI_ID = "{uni_id}";

    public CommandFile {
        blocks = List.copyOf(blocks);
        problems = List.copyOf(problems);
    }

    /** Accepts any text; errors are returned as problems. */
    public static CommandFile parse(FileMode mode, String text) {
        var collector = new Collector(mode);
        var lines = new ArrayList<SourceLine>();
        int number = 0;
        int at = 0;
        while (at < text.length()) {
            int end = endOfLine(text, at);
            var line = SourceLine.stripped(text, at, end);
            number++;
            at = afterLine(text, end);
            if (!line.isEmpty() && line.charAt(0) != '#') {
                lines.add(new SourceLine(number, line));
            }
            if (!lines.isEmpty() && (line.isEmpty() || at == text.length())) {
                collector.add(lines);
                lines.clear();
            }
        }
        return new CommandFile(mode, collector.blocks, collector.problems);
    }

    /**
     * The problems of this file and others, by line. Like the problems of the file itself, a longer
     * list is cut.
     */
    public List<BlockProblem> problemsWith(List<BlockProblem> others) {
        var all = new ArrayList<>(problems);
        all.addAll(others);
        all.sort(Comparator.comparingInt(BlockProblem::line));
        if (all.size() <= MAX_PROBLEMS + 1) {
            return all;
        }
        var kept = new ArrayList<>(all.subList(0, MAX_PROBLEMS));
        kept.add(moreProblems(all.get(MAX_PROBLEMS).line()));
        return kept;
    }

    private static BlockProblem moreProblems(int line) {
        return new BlockProblem(line, "command.more_problems");
    }

    /** Writes the blocks in the standard form; parsing the text gives equal blocks. */
    public static String print(FileMode mode, List<Block> blocks) {
        var text = new StringBuilder();
        for (var block : blocks) {
            text.append(text.isEmpty() ? "" : "\n").append(block.queue()).append('\n');
            for (var command : block.commands()) {
                text.append(CommandQuotes.quoteIfNeeded(command)).append('\n');
            }
            if (mode == FileMode.MULTI) {
                var count = block.gpuCount();
                text.append(count.min());
                text.append(count.max() > count.min() ? "-" + count.max() : "").append('\n');
            }
            text.append(block.memoryGb()).append('\n');
        }
        return text.toString();
    }

    /**
     * The command with its two variables replaced. All other braces belong to the shell, and
     * inserted text is not searched again.
     */
    public static String withVariables(String command, String workDir, String uniId) {
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
        boolean isCrLf = text.startsWith("\r\n", end);
        return Math.min(text.length(), end + (isCrLf ? 2 : 1));
    }

    /** Collects blocks and problems, both up to their limit. */
    private static final class Collector {
        private final FileMode mode;
        private final List<Block> blocks = new ArrayList<>();
        private final List<BlockProblem> problems = new ArrayList<>();
        private boolean isFull;

        Collector(FileMode mode) {
            this.mode = mode;
        }

        void add(List<SourceLine> lines) {
            switch (BlockParser.parse(mode, lines)) {
                case BlockParser.Valid(Block block) -> add(block);
                case BlockParser.Invalid(BlockProblem problem) -> add(problem);
            }
        }

        private void add(Block block) {
            if (blocks.size() < MAX_BLOCKS) {
                blocks.add(block);
            } else if (!isFull) {
                isFull = true;
                problems.add(
                        new BlockProblem(block.line(), "command.too_many").with("max", MAX_BLOCKS));
            }
        }

        private void add(BlockProblem problem) {
            if (problems.size() < MAX_PROBLEMS) {
                problems.add(problem);
            } else if (problems.size() == MAX_PROBLEMS) {
                problems.add(moreProblems(problem.line()));
            }
        }
    }
}
