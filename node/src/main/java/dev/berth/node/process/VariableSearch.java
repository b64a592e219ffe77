package dev.berth.node.process;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Finds {@code NAME=value} in an environment that comes in pieces: strings, each ended by a zero
 * byte.
 */
final class VariableSearch {
    private static final int LONGEST_VALUE = 4096;

    private final byte[] wanted;
    private final ByteArrayOutputStream value = new ByteArrayOutputStream();

    /** How much of {@code NAME=} the present string has matched; -1 when it is another's. */
    private int matched;

    private boolean isDone;

    VariableSearch(String name) {
        wanted = (name + "=").getBytes(StandardCharsets.UTF_8);
    }

    /** True when no more is needed. */
    boolean take(byte[] bytes, int length) {
        for (var i = 0; i < length && !isDone; i++) {
            var next = bytes[i];
            if (matched == wanted.length) {
                takeOfValue(next);
            } else if (next == 0) {
                matched = 0;
            } else if (matched >= 0) {
                matched = next == wanted[matched] ? matched + 1 : -1;
            }
        }
        return isDone;
    }

    private void takeOfValue(byte next) {
        if (next == 0 || value.size() == LONGEST_VALUE) {
            isDone = true;
        } else {
            value.write(next);
        }
    }

    Optional<String> value() {
        return matched == wanted.length
                ? Optional.of(value.toString(StandardCharsets.UTF_8))
                : Optional.empty();
    }
}
