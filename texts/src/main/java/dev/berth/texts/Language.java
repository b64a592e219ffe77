package dev.berth.texts;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A language that texts exist in. */
public enum Language {
    CHINESE("zh-CN", List.of(" 天", " 小时", " 分", " 秒")),
    ENGLISH("en", List.of(" d", " h", " min", " s"));

    private final String tag;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable.
    private final List<String> units;

    Language(String tag, List<String> units) {
        this.tag = tag;
        this.units = units;
    }

    /** The language's name in the configuration, in HTTP headers and in file names. */
    public String tag() {
        return tag;
    }

    /** The language with this tag. */
    public static Optional<Language> of(String tag) {
        return Arrays.stream(values()).filter(one -> one.tag.equals(tag)).findFirst();
    }

    /**
     * The best match for an {@code Accept-Language} header (RFC 9110), or {@code fallback} where
     * the header names none of ours. Only the primary subtag is compared: {@code zh-TW} is Chinese.
     */
    public static Language accepted(String header, Language fallback) {
        return Arrays.stream(header.split(",", 20))
                .map(Range::of)
                .filter(range -> range.weight > 0)
                .sorted(Comparator.comparingDouble((Range range) -> -range.weight))
                .flatMap(range -> range.language().stream())
                .findFirst()
                .orElse(fallback);
    }

    /** One entry of the header. */
    private record Range(String tag, double weight) {

        static Range of(String text) {
            int parameter = text.indexOf(';');
            var tag = (parameter < 0 ? text : text.substring(0, parameter)).strip();
            var weight = parameter < 0 ? "" : text.substring(parameter + 1).strip();
            return new Range(tag.toLowerCase(Locale.ROOT), weight(weight));
        }

        private static double weight(String text) {
            if (!text.matches("q=[01](\\.[0-9]{0,3})?")) {
                return text.isEmpty() ? 1 : 0;
            }
            return Double.parseDouble(text.substring(2));
        }

        Optional<Language> language() {
            var primary = tag.contains("-") ? tag.substring(0, tag.indexOf('-')) : tag;
            return Arrays.stream(values())
                    .filter(one -> one.tag.startsWith(primary) && primary.length() == 2)
                    .findFirst();
        }
    }

    /** A duration in its two largest units; a unit that is zero is left out. */
    public String duration(Duration time) {
        var parts =
                Stream.of(
                                part(time.toDays(), 0),
                                part(time.toHoursPart(), 1),
                                part(time.toMinutesPart(), 2),
                                part(time.toSecondsPart(), 3))
                        .dropWhile(String::isEmpty)
                        .limit(2)
                        .filter(part -> !part.isEmpty())
                        .toList();
        return parts.isEmpty() ? "0" + units.getLast() : String.join(" ", parts);
    }

    private String part(long number, int unit) {
        return number == 0 ? "" : number + units.get(unit);
    }
}
