package dev.berth.port;

import java.util.Comparator;

/** A caller's idempotency key: repeating a request with it does not repeat its effect. */
public record SubmitKey(String principal, String key) implements Comparable<SubmitKey> {

    private static final Comparator<SubmitKey> ORDER =
            Comparator.comparing(SubmitKey::principal).thenComparing(SubmitKey::key);

    @Override
    public int compareTo(SubmitKey other) {
        return ORDER.compare(this, other);
    }
}
