package dev.berth.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The type of a key's value.
 *
 * @param description completes the sentence "… is "
 * @param parser parses a value; empty if it is invalid
 * @param formatter the value as it may be shown to every user
 */
record ValueType<T>(
        InputForm inputForm,
        String description,
        Function<RawValue, Optional<T>> parser,
        Function<T, Object> formatter) {

    private static final int MAX_PATTERNS = 100;

    ValueType(InputForm form, String words, Function<RawValue, Optional<T>> reading) {
        this(form, words, reading, value -> value);
    }

    /**
     * The type as an input form needs it.
     *
     * @param choices all allowed values, if they are enumerated
     * @param min lower bound of a whole number
     */
    record InputForm(String name, List<String> choices, OptionalLong min, OptionalLong max) {

        private static final String CARDS = "cards";
        private static final String TEXTS = "texts";
        private static final String SECRET = "secret";

        static InputForm of(String name, String... choices) {
            return new InputForm(
                    name, List.of(choices), OptionalLong.empty(), OptionalLong.empty());
        }
    }

    /** A list is separated by commas in a variable or an option. */
    boolean isList() {
        return inputForm.name().equals(InputForm.CARDS) || inputForm.name().equals(InputForm.TEXTS);
    }

    /** The value must not appear in error messages. */
    boolean isSecret() {
        return inputForm.name().equals(InputForm.SECRET);
    }

    /** The same type, of which only a part is shown. */
    ValueType<T> withFormatter(Function<T, Object> part) {
        return new ValueType<>(InputForm.of(InputForm.SECRET), description, parser, part);
    }

    Object format(T value) {
        return formatter.apply(value);
    }

    Optional<T> parse(RawValue value) {
        return parser.apply(value);
    }

    static ValueType<Long> wholeNumber(long min, long max) {
        return new ValueType<>(
                new InputForm("whole", List.of(), OptionalLong.of(min), OptionalLong.of(max)),
                "a whole number from " + min + " to " + max,
                value -> plainText(value).flatMap(text -> wholeNumber(text, min, max)));
    }

    static ValueType<Double> number(double min, double max) {
        return new ValueType<>(
                InputForm.of("number"),
                "a number from " + min + " to " + max,
                value -> number(value).filter(number -> number >= min && number <= max));
    }

    static ValueType<Double> positiveNumber(long max) {
        return new ValueType<>(
                InputForm.of("number"),
                "a number above 0 and at most " + max,
                value -> number(value).filter(number -> number > 0 && number <= max));
    }

    private static Optional<Double> number(RawValue value) {
        return plainText(value)
                .filter(text -> text.matches("-?[0-9]{1,12}(\\.[0-9]{1,9})?"))
                .map(Double::valueOf);
    }

    /** Accepts the spellings of older YAML versions too. */
    static ValueType<Boolean> flag() {
        return new ValueType<>(
                InputForm.of("flag"),
                "true or false",
                value ->
                        plainText(value)
                                .flatMap(
                                        text ->
                                                switch (text.toLowerCase(Locale.ROOT)) {
                                                    case "true", "yes", "on" -> Optional.of(true);
                                                    case "false", "no", "off" -> Optional.of(false);
                                                    default -> Optional.empty();
                                                }));
    }

    static ValueType<String> word(String... words) {
        return new ValueType<>(
                InputForm.of("word", words),
                "one of " + String.join(", ", words),
                value -> text(value).filter(List.of(words)::contains));
    }

    static ValueType<String> text() {
        return new ValueType<>(InputForm.of("text"), "a text", ValueType::text);
    }

    static ValueType<List<String>> texts() {
        return new ValueType<>(
                InputForm.of(InputForm.TEXTS),
                "a list of texts",
                value -> readList(value, ValueType::text));
    }

    /** A list of regular expressions. */
    static ValueType<List<String>> patterns() {
        return new ValueType<>(
                InputForm.of(InputForm.TEXTS),
                "a list of at most " + MAX_PATTERNS + " regular expressions",
                value ->
                        readList(value, ValueType::text)
                                .filter(all -> all.size() <= MAX_PATTERNS)
                                .filter(all -> all.stream().allMatch(ValueType::isPattern)));
    }

    private static boolean isPattern(String text) {
        try {
            var _ = Pattern.compile(text);
            return !text.isEmpty();
        } catch (PatternSyntaxException _) {
            return false;
        }
    }

    /** A list of these words, each at most once. */
    static ValueType<List<String>> description(String... words) {
        return new ValueType<>(
                InputForm.of(InputForm.TEXTS),
                "a list of " + String.join(", ", words) + ", each at most once",
                value ->
                        readList(value, ValueType::text)
                                .filter(all -> !all.isEmpty() && List.of(words).containsAll(all))
                                .filter(ValueType::isDistinct));
    }

    /** A list of mappings. */
    static ValueType<Long> rows(int most) {
        return new ValueType<>(
                InputForm.of(InputForm.SECRET),
                "a list of at most " + most + " groups of keys",
                value ->
                        switch (value) {
                            case RawValue.MappingList(int count) when count <= most ->
                                    Optional.of((long) count);
                            case RawValue.ScalarList(var items) when items.isEmpty() ->
                                    Optional.of(0L);
                            case RawValue.MappingList _,
                                    RawValue.ScalarList _,
                                    RawValue.Scalar _,
                                    RawValue.NullValue _,
                                    RawValue.Mapping _ ->
                                    Optional.empty();
                        });
    }

    /** A list of GPU indexes. */
    static ValueType<List<Integer>> gpuIndexes() {
        return new ValueType<>(
                InputForm.of(InputForm.CARDS),
                "a list of GPU numbers from 0 up, each once",
                value ->
                        readList(
                                        value,
                                        item ->
                                                plainText(item)
                                                        .flatMap(
                                                                text -> wholeNumber(text, 0, 9999)))
                                .map(all -> all.stream().map(Long::intValue).toList())
                                .filter(ValueType::isDistinct));
    }

    private static boolean isDistinct(List<?> all) {
        return all.stream().distinct().count() == all.size();
    }

    private static <T> Optional<List<T>> readList(
            RawValue value, Function<RawValue, Optional<T>> reading) {
        if (!(value instanceof RawValue.ScalarList(var items))) {
            return Optional.empty();
        }
        var read = new ArrayList<T>();
        for (var item : items) {
            var parsed = reading.apply(item);
            if (parsed.isEmpty()) {
                return Optional.empty();
            }
            read.add(parsed.get());
        }
        return Optional.of(List.copyOf(read));
    }

    private static Optional<Long> wholeNumber(String text, long min, long max) {
        return Optional.of(text)
                .filter(digits -> digits.matches("-?[0-9]{1,18}"))
                .map(Long::valueOf)
                .filter(number -> number >= min && number <= max);
    }

    private static Optional<String> plainText(RawValue value) {
        return value instanceof RawValue.Scalar(var text, var isPlain) && isPlain
                ? Optional.of(text)
                : Optional.empty();
    }

    private static Optional<String> text(RawValue value) {
        return value instanceof RawValue.Scalar(var text, _)
                        && !text.isEmpty()
                        && text.chars().noneMatch(Character::isISOControl)
                ? Optional.of(text)
                : Optional.empty();
    }
}
