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
 * @param showing the value as everybody may see it
 */
record Kind<T>(
        Form form,
        String words,
        Function<Written, Optional<T>> reading,
        Function<T, Object> showing) {

    Kind(Form form, String words, Function<Written, Optional<T>> reading) {
        this(form, words, reading, value -> value);
    }

    /**
     * The same for a page that asks for a value.
     *
     * @param choices all there are, where there are only so many
     * @param least of a whole number
     */
    record Form(String name, List<String> choices, OptionalLong least, OptionalLong most) {

        private static final String CARDS = "cards";
        private static final String TEXTS = "texts";
        private static final String SECRET = "secret";

        static Form of(String name, String... choices) {
            return new Form(name, List.of(choices), OptionalLong.empty(), OptionalLong.empty());
        }
    }

    /** With commas where it is written in one word. */
    boolean isList() {
        return form.name().equals(Form.CARDS) || form.name().equals(Form.TEXTS);
    }

    /** What was written is not said back. */
    boolean isSecret() {
        return form.name().equals(Form.SECRET);
    }

    /** The same kind of value, of which only a part is shown. */
    Kind<T> shownAs(Function<T, Object> part) {
        return new Kind<>(Form.of(Form.SECRET), words, reading, part);
    }

    Object shown(T value) {
        return showing.apply(value);
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

    /** Each of these at most once. */
    static Kind<List<String>> words(String... words) {
        return new Kind<>(
                Form.of(Form.TEXTS),
                "a list of " + String.join(", ", words) + ", each at most once",
                value ->
                        items(value, Kind::text)
                                .filter(all -> !all.isEmpty() && List.of(words).containsAll(all))
                                .filter(Kind::isEachOnce));
    }

    /** A list of groups. */
    static Kind<Long> rows(int most) {
        return new Kind<>(
                Form.of(Form.SECRET),
                "a list of at most " + most + " groups of keys",
                value ->
                        switch (value) {
                            case Written.Rows(int count) when count <= most ->
                                    Optional.of((long) count);
                            case Written.Items(var items) when items.isEmpty() -> Optional.of(0L);
                            case Written.Rows _,
                                    Written.Items _,
                                    Written.Scalar _,
                                    Written.Nothing _,
                                    Written.Mapping _ ->
                                    Optional.empty();
                        });
    }

    /** Numbers of cards. */
    static Kind<List<Integer>> indices() {
        return new Kind<>(
                Form.of(Form.CARDS),
                "a list of card numbers from 0 up, each once",
                value ->
                        items(value, item -> plain(item).flatMap(text -> whole(text, 0, 9999)))
                                .map(all -> all.stream().map(Long::intValue).toList())
                                .filter(Kind::isEachOnce));
    }

    private static boolean isEachOnce(List<?> all) {
        return all.stream().distinct().count() == all.size();
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
