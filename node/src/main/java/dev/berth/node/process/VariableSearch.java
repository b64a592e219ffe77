package dev.berth.node.process;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Finds {@code NAME=value} in an environment that arrives in pieces: strings, each ended by a zero
 * byte.
 */
final class VariableSearch {
    private static final int MAX_VALUE_BYTES = 4096;

    private final byte[] pattern;
    private final ByteArrayOutputStream value = new ByteArrayOutputStream();

    /** How much of {@code NAME=} the current string has matched; -1 if it is another variable. */
    private int matched;

    private boolean isDone;

    VariableSearch(String name) {
        pattern = (name + "=").getBytes(StandardCharsets.UTF_8);
    }

    /** True if no more input is needed. */
    boolean take(byte[] bytes, int length) {
        for (var i = 0; i < length && !isDone; i++) {
            var next = bytes[i];
            if (matched == pattern.length) {
                takeValueByte(next);
            } else if (next == 0) {
                matched = 0;
            } else if (matched >= 0) {
                matched = next == pattern[matched] ? matched + 1 : -1;
            }
        }
        return isDone;
    }

    private void takeValueByte(byte next) {
        if (next == 0 || value.size() == MAX_VALUE_BYTES) {
            isDone = true;
        } else {
            value.write(next);
        }
    }

    Optional<String> value() {
        return matched == pattern.length
                ? Optional.of(value.toString(StandardCharsets.UTF_8))
                : Optional.empty();
    }
}
