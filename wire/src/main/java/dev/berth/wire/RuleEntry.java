package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One key that can be changed through the server.
 *
 * @param value in force, or saved for the next start
 * @param usual its value where nobody sets it
 * @param source where the value comes from: {@code usual}, {@code in memory}, a file with its line,
 *     the environment or the command line
 * @param kind whole, flag, cards, text or word
 * @param words all that it may be, where it is a word
 * @param least of a whole number
 * @param most of a whole number
 */
public record RuleEntry(
        String key,
        @Nullable Object value,
        @Nullable Object usual,
        String source,
        String kind,
        @Nullable List<String> words,
        @Nullable Long least,
        @Nullable Long most,
        String about) {}
