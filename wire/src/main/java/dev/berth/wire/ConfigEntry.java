package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration.
 *
 * @param value in force: a text, a number, true or false, a list of those, or null
 * @param defaultValue the same where nobody sets it
 * @param source where the value comes from: {@code default}, a file with its line, the environment
 *     or the command line
 * @param inForce false where the key is understood but nothing follows from it yet
 */
public record ConfigEntry(
        String key,
        @Nullable Object value,
        @Nullable Object defaultValue,
        String source,
        boolean inForce,
        String about) {}
