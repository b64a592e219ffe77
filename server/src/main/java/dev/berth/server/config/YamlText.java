package dev.berth.server.config;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Values as they are written into a file. */
final class YamlText {

    /** Without quotes these would mean something else to some reader. */
    private static final Set<String> SPECIAL =
            Set.of("true", "false", "yes", "no", "on", "off", "y", "n", "null");

    private YamlText() {}

    static String of(Written value) {
        return switch (value) {
            case Written.Scalar scalar -> scalar(scalar);
            case Written.Items(var items) ->
                    items.stream()
                            .map(YamlText::scalar)
                            .collect(Collectors.joining(", ", "[", "]"));
            case Written.Nothing _ -> "null";
            case Written.Mapping _, Written.Rows _ ->
                    throw new IllegalArgumentException("no value: a group");
        };
    }

    private static String scalar(Written.Scalar scalar) {
        var text = scalar.text();
        boolean isWord =
                text.matches("[A-Za-z][A-Za-z0-9_]*")
                        && !SPECIAL.contains(text.toLowerCase(Locale.ROOT));
        return scalar.isPlain() || isWord ? text : quoted(text);
    }

    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.codePoints()
                .forEach(
                        letter -> {
                            if (letter == '"' || letter == '\\') {
                                quoted.append('\\').appendCodePoint(letter);
                            } else if (isVisible(letter)) {
                                quoted.appendCodePoint(letter);
                            } else {
                                quoted.append(String.format(Locale.ROOT, "\\U%08x", letter));
                            }
                        });
        return quoted.append('"').toString();
    }

    private static boolean isVisible(int letter) {
        return switch (Character.getType(letter)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            default -> true;
        };
    }
}
