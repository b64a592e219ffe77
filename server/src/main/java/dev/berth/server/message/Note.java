package dev.berth.server.message;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is told, in no form yet: all of it is plain text, whoever wrote it.
 *
 * @param link to where there is more
 * @param json the same for programs
 */
record Note(String title, List<Row> rows, Optional<Link> link, Object json) {

    private static final int LONGEST_TITLE = 200;
    private static final int LONGEST_VALUE = 600;

    /** One line of it. */
    record Row(String label, String value) {
        Row {
            value = line(value, LONGEST_VALUE);
        }

        String text() {
            return label.isEmpty() ? value : label + ": " + value;
        }
    }

    record Link(String label, String url) {}

    Note {
        title = line(title, LONGEST_TITLE);
        rows = List.copyOf(rows);
    }

    /** Without title and link. */
    String text() {
        return rows.stream().map(Row::text).collect(Collectors.joining("\n"));
    }

    /** What others wrote may hold anything; here it is one line, and no longer than people read. */
    private static String line(String text, int most) {
        var clean = new StringBuilder();
        text.codePoints().map(Note::harmless).limit(most + 1L).forEach(clean::appendCodePoint);
        if (clean.codePointCount(0, clean.length()) > most) {
            clean.setLength(clean.offsetByCodePoints(0, most - 1));
            clean.append('…');
        }
        return clean.toString().strip();
    }

    private static int harmless(int letter) {
        return switch (Character.getType(letter)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    ' ';
            default -> letter;
        };
    }
}
