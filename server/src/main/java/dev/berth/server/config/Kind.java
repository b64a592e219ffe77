package dev.berth.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the value of a key may be.
 *
 * @param words completes "… is "
 * @param isList with commas where it is written in one word
 * @param reading empty where the text is not one of these
 */
record Kind<T>(String words, boolean isList, Function<Written, Optional<T>> reading) {

    private Kind(String words, Function<Written, Optional<T>> reading) {
        this(words, false, reading);
    }

    Optional<T> read(Written value) {
        return reading.apply(value);
    }

    static Kind<Long> whole(long min, long max) {
        return new Kind<>(
                "a whole number from " + min + " to " + max,
                value -> plain(value).flatMap(text -> whole(text, min, max)));
    }

    static Kind<Double> number(double min, double max) {
        return new Kind<>(
                "a number from " + min + " to " + max,
                value -> number(value).filter(number -> number >= min && number <= max));
    }

    static Kind<Double> above0(long max) {
        return new Kind<>(
                "a number above 0 and at most " + max,
                value -> number(value).filter(number -> number > 0 && number <= max));
    }

    private static Optional<Double> number(Written value) {
        return plain(value)
                .filter(text -> text.matches("-?[0-9]{1,12}(\\.[0-9]{1,9})?"))
                .map(Double::valueOf);
    }

    /** Also in the words that older YAML has for them. */
    static Kind<Boolean> flag() {
        return new Kind<>(
                "true or false",
                value ->
                        plain(value)
                                .flatMap(
                                        text ->
                                                switch (text.toLowerCase(Locale.ROOT)) {
                                                    case "true", "yes", "on" -> Optional.of(true);
                                                    case "false", "no", "off" -> Optional.of(false);
                                                    default -> Optional.empty();
                                                }));
    }

    static Kind<String> word(String... words) {
        return new Kind<>(
                "one of " + String.join(", ", words),
                value -> text(value).filter(List.of(words)::contains));
    }

    static Kind<String> text() {
        return new Kind<>("a text", Kind::text);
    }

    static Kind<List<String>> texts() {
        return new Kind<>("a list of texts", true, value -> items(value, Kind::text));
    }

    /** Numbers of cards. */
    static Kind<List<Integer>> indices() {
        return new Kind<>(
                "a list of card numbers from 0 up, each once",
                true,
                value ->
                        items(value, item -> plain(item).flatMap(text -> whole(text, 0, 9999)))
                                .map(all -> all.stream().map(Long::intValue).toList())
                                .filter(all -> all.stream().distinct().count() == all.size()));
    }

    private static <T> Optional<List<T>> items(
            Written value, Function<Written, Optional<T>> reading) {
        if (!(value instanceof Written.Items(var items))) {
            return Optional.empty();
        }
        var read = new ArrayList<T>();
        for (var item : items) {
            var one = reading.apply(item);
            if (one.isEmpty()) {
                return Optional.empty();
            }
            read.add(one.get());
        }
        return Optional.of(List.copyOf(read));
    }

    private static Optional<Long> whole(String text, long min, long max) {
        return Optional.of(text)
                .filter(digits -> digits.matches("-?[0-9]{1,18}"))
                .map(Long::valueOf)
                .filter(number -> number >= min && number <= max);
    }

    private static Optional<String> plain(Written value) {
        return value instanceof Written.Scalar(var text, var isPlain) && isPlain
                ? Optional.of(text)
                : Optional.empty();
    }

    private static Optional<String> text(Written value) {
        return value instanceof Written.Scalar(var text, _)
                        && !text.isEmpty()
                        && text.chars().noneMatch(Character::isISOControl)
                ? Optional.of(text)
                : Optional.empty();
    }
}
