package dev.berth.port.event;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A field of the stored form.
 *
 * @param key its name in the stored map and in the API
 * @param parse fails with an exception if the text is not a value of the field
 * @param isNumber an alert shows it as a number; other fields may look like a number but are names
 */
record StoredField<T>(
        String key, Function<String, T> parse, Function<T, String> format, boolean isNumber) {

    private static final String COMMA = ",";

    private StoredField(String key, Function<String, T> parse, Function<T, String> format) {
        this(key, parse, format, false);
    }

    static StoredField<String> text(String key) {
        return new StoredField<>(key, Function.identity(), Function.identity());
    }

    static StoredField<Long> number(String key) {
        return new StoredField<>(key, Long::valueOf, String::valueOf, true);
    }

    static StoredField<Integer> smallNumber(String key) {
        return new StoredField<>(key, Integer::valueOf, String::valueOf, true);
    }

    static StoredField<Duration> seconds(String key) {
        return new StoredField<>(
                key,
                text -> Duration.ofSeconds(Long.parseLong(text)),
                time -> Long.toString(time.toSeconds()),
                true);
    }

    static <T> StoredField<T> of(String key, Function<String, T> parse, Function<T, String> form) {
        return new StoredField<>(key, parse, form);
    }

    /** The name of a constant in lower case. */
    static <T extends Enum<T>> StoredField<T> constant(String key, Class<T> type) {
        return new StoredField<>(
                key,
                text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)),
                value -> value.name().toLowerCase(Locale.ROOT));
    }

    /** One of two words. */
    static StoredField<Boolean> choice(String key, String whenTrue, String whenFalse) {
        return new StoredField<>(
                key,
                text -> {
                    if (!text.equals(whenTrue) && !text.equals(whenFalse)) {
                        throw new IllegalArgumentException(key + " is neither: " + text);
                    }
                    return text.equals(whenTrue);
                },
                value -> value ? whenTrue : whenFalse);
    }

    /** A field that is stored, always with the same text, only if it is true. */
    static StoredField<Boolean> mark(String key, String whenTrue) {
        return new StoredField<>(key, _ -> true, _ -> whenTrue);
    }

    /** The indices of GPUs. */
    static StoredField<List<Integer>> indices(String key) {
        return new StoredField<>(
                key,
                text ->
                        text.isEmpty()
                                ? List.of()
                                : Arrays.stream(text.split(COMMA, -1))
                                        .map(Integer::valueOf)
                                        .toList(),
                list -> list.stream().map(String::valueOf).collect(Collectors.joining(COMMA)));
    }
}
