package dev.berth.server.alert;

import java.time.Duration;
import java.util.stream.Stream;

/** In which alerts and messages are written. */
public enum Language {
    CHINESE("zh-CN"),
    ENGLISH("en");

    private final String word;

    Language(String word) {
        this.word = word;
    }

    /** In the configuration. */
    public String word() {
        return word;
    }

    /**
     * @param word one of those that there are
     */
    public static Language of(String word) {
        return word.equals(ENGLISH.word) ? ENGLISH : CHINESE;
    }

    /** The two largest units, without one of which there is nothing. */
    public String time(Duration time) {
        var parts =
                Stream.of(
                                part(time.toDays(), " 天", " d"),
                                part(time.toHoursPart(), " 小时", " h"),
                                part(time.toMinutesPart(), " 分", " min"),
                                part(time.toSecondsPart(), " 秒", " s"))
                        .dropWhile(String::isEmpty)
                        .limit(2)
                        .filter(part -> !part.isEmpty())
                        .toList();
        return parts.isEmpty() ? "0" + choose(" 秒", " s") : String.join(" ", parts);
    }

    private String part(long number, String chinese, String english) {
        return number == 0 ? "" : number + choose(chinese, english);
    }

    /** One of two wordings of the same. */
    public String choose(String chinese, String english) {
        return switch (this) {
            case CHINESE -> chinese;
            case ENGLISH -> english;
        };
    }
}
