package dev.berth.notify;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A notification, independent of the channel. All of it is plain text from untrusted sources.
 *
 * @param link to details in the console
 * @param json the content for webhooks
 */
record Notification(String title, List<Row> rows, Optional<Link> link, Object json) {

    private static final int MAX_TITLE = 200;
    private static final int MAX_VALUE = 600;

    /** One line of a notification. */
    record Row(String label, String value) {
        Row {
            value = singleLine(value, MAX_VALUE);
        }

        String text() {
            return label.isEmpty() ? value : label + ": " + value;
        }
    }

    record Link(String label, String url) {}

    Notification {
        title = singleLine(title, MAX_TITLE);
        rows = List.copyOf(rows);
    }

    /** Without title and link. */
    String text() {
        return rows.stream().map(Row::text).collect(Collectors.joining("\n"));
    }

    /** Task names and errors may contain anything: makes one line of limited length. */
    private static String singleLine(String text, int most) {
        var clean = new StringBuilder();
        text.codePoints()
                .map(Notification::withoutControl)
                .limit(most + 1L)
                .forEach(clean::appendCodePoint);
        if (clean.codePointCount(0, clean.length()) > most) {
            clean.setLength(clean.offsetByCodePoints(0, most - 1));
            clean.append('…');
        }
        return clean.toString().strip();
    }

    private static int withoutControl(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    ' ';
            default -> codePoint;
        };
    }
}
