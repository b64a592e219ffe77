package dev.berth.core.commandfile;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Random texts: valid command files, nearly valid ones, and arbitrary text. */
final class RandomText {

    private static final List<String> PIECES =
            List.of(
                    "1",
                    "20",
                    "2-4",
                    "3,20",
                    "-1",
                    "20.5",
                    "1 #x",
                    "20 GB",
                    "4-2",
                    "0",
                    "\"",
                    "\\",
                    "\\\"",
                    "\"a\"",
                    "#",
                    "# x",
                    " ",
                    "\u00A0",
                    "\u3000",
                    "\uFEFF",
                    "\n",
                    "\n\n",
                    "\r\n",
                    "\r",
                    "\t",
                    "\u0000",
                    "{work_dir}",
                    "{uni_id}",
                    "{",
                    "python a.py",
                    ",",
                    "，",
                    "-",
                    ".",
                    "9".repeat(30),
                    "é",
                    "😀",
                    "\uD83D",
                    "\uFFFD",
                    "\f",
                    "G",
                    "+");

    private static final List<String> SEEDS =
            CommandFileExamples.NAMES.stream().map(CommandFileExamples::text).toList();

    private final Random random;

    RandomText(long seed) {
        this.random = new Random(seed);
    }

    FileMode mode() {
        return random.nextBoolean() ? FileMode.SINGLE : FileMode.MULTI;
    }

    String next(FileMode mode) {
        return switch (random.nextInt(4)) {
            case 0 -> mutated(oneOf(SEEDS));
            case 1 -> grammatical(mode);
            case 2 -> mutated(grammatical(mode));
            default -> random.nextBoolean() ? bytes() : pieces(random.nextInt(60));
        };
    }

    /** Valid blocks in any form. */
    String grammatical(FileMode mode) {
        var end = oneOf(List.of("\n", "\r\n", "\r"));
        return random.ints(1 + random.nextInt(6), 0, 3)
                .mapToObj(_ -> block(mode, end))
                .collect(Collectors.joining(end + end));
    }

    private String block(FileMode mode, String end) {
        var commands =
                random.ints(1 + random.nextInt(4), 0, 2)
                        .mapToObj(form -> form == 0 ? command() : CommandQuotes.quote(command()))
                        .collect(Collectors.joining(end));
        var queue = String.valueOf(random.nextInt(9));
        var memory = oneOf(List.of("20", "0", "12.5", "20 GB", "1.1", "20.3333333333333"));
        if (mode == FileMode.SINGLE && random.nextInt(3) == 0) {
            return commands + end + queue + " , " + memory;
        }
        var count = mode == FileMode.MULTI ? oneOf(List.of("1", "2", "2-4")) + end : "";
        var note = oneOf(List.of("", " ", " #note", "\t#1"));
        return queue + note + end + commands + end + count + memory + note;
    }

    private String command() {
        return "run "
                + pieces(random.nextInt(4)).replaceAll("[\\p{Cntrl}\\x{FFFD}\uD83D]", "")
                + "x";
    }

    private String pieces(int count) {
        var text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(oneOf(PIECES));
        }
        return text.toString();
    }

    private String mutated(String text) {
        var changed = new StringBuilder(text);
        for (int i = random.nextInt(8); i >= 0; i--) {
            int at = random.nextInt(changed.length() + 1);
            int to = Math.min(changed.length(), at + random.nextInt(8));
            switch (random.nextInt(4)) {
                case 0 -> changed.delete(at, to);
                case 1 -> changed.insert(at, changed.substring(at, to));
                case 2 -> changed.replace(at, to, oneOf(PIECES));
                default -> changed.insert(at, oneOf(PIECES));
            }
        }
        return changed.toString();
    }

    private String bytes() {
        var bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private String oneOf(List<String> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
