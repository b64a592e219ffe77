package dev.berth.config;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Formats values as YAML. */
final class YamlFormat {

    /** Words that some YAML parsers read as another type if they are not quoted. */
    private static final Set<String> RESERVED_WORDS =
            Set.of("true", "false", "yes", "no", "on", "off", "y", "n", "null");

    private YamlFormat() {}

    static String of(RawValue value) {
        return switch (value) {
            case RawValue.Scalar scalar -> formatScalar(scalar);
            case RawValue.ScalarList(var items) ->
                    items.stream()
                            .map(YamlFormat::formatScalar)
                            .collect(Collectors.joining(", ", "[", "]"));
            case RawValue.NullValue _ -> "null";
            case RawValue.Mapping _, RawValue.MappingList _ ->
                    throw new IllegalArgumentException("no value: a group");
        };
    }

    private static String formatScalar(RawValue.Scalar scalar) {
        var text = scalar.text();
        boolean isWord =
                text.matches("[A-Za-z][A-Za-z0-9_]*")
                        && !RESERVED_WORDS.contains(text.toLowerCase(Locale.ROOT));
        return scalar.isPlain() || isWord ? text : quote(text);
    }

    private static String quote(String text) {
        var quoted = new StringBuilder("\"");
        text.codePoints()
                .forEach(
                        codePoint -> {
                            if (codePoint == '"' || codePoint == '\\') {
                                quoted.append('\\').appendCodePoint(codePoint);
                            } else if (isPrintable(codePoint)) {
                                quoted.appendCodePoint(codePoint);
                            } else {
                                quoted.append(String.format(Locale.ROOT, "\\U%08x", codePoint));
                            }
                        });
        return quoted.append('"').toString();
    }

    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
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
