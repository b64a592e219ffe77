package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One rule that can be changed through the API.
 *
 * @param value current value, or saved for the next start
 * @param usual its default value
 * @param source where the value comes from: {@code usual}, {@code in memory}, a file with its line,
 *     the environment or the command line
 * @param kind whole, flag, cards, text or word
 * @param words the allowed values of kind word
 * @param least minimum of a whole number
 * @param most maximum of a whole number
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
