package dev.berth.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What the value of a key may be.
 *
 * @param words completes "… is "
 * @param reading empty where the text is not one of these
 */
record Kind<T>(Form form, String words, Function<Written, Optional<T>> reading) {

    /**
     * The same for a page that asks for a value.
     *
     * @param choices all there are, where there are only so many
     * @param least of a whole number
     */
    record Form(String name, List<String> choices, OptionalLong least, OptionalLong most) {

        private static final String CARDS = "cards";
        private static final String TEXTS = "texts";

        static Form of(String name, String... choices) {
            return new Form(name, List.of(choices), OptionalLong.empty(), OptionalLong.empty());
        }
    }

    /** With commas where it is written in one word. */
    boolean isList() {
        return form.name().equals(Form.CARDS) || form.name().equals(Form.TEXTS);
    }

    Optional<T> read(Written value) {
        return reading.apply(value);
    }

    static Kind<Long> whole(long min, long max) {
        return new Kind<>(
                new Form("whole", List.of(), OptionalLong.of(min), OptionalLong.of(max)),
                "a whole number from " + min + " to " + max,
                value -> plain(value).flatMap(text -> whole(text, min, max)));
    }

    static Kind<Double> number(double min, double max) {
        return new Kind<>(
                Form.of("number"),
                "a number from " + min + " to " + max,
                value -> number(value).filter(number -> number >= min && number <= max));
    }

    static Kind<Double> above0(long max) {
        return new Kind<>(
                Form.of("number"),
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
                Form.of("flag"),
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
                Form.of("word", words),
                "one of " + String.join(", ", words),
                value -> text(value).filter(List.of(words)::contains));
    }

    static Kind<String> text() {
        return new Kind<>(Form.of("text"), "a text", Kind::text);
    }

    static Kind<List<String>> texts() {
        return new Kind<>(
                Form.of(Form.TEXTS), "a list of texts", value -> items(value, Kind::text));
    }

    /** Numbers of cards. */
    static Kind<List<Integer>> indices() {
        return new Kind<>(
                Form.of(Form.CARDS),
                "a list of card numbers from 0 up, each once",
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
