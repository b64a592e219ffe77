package dev.berth.core.access;

/** Identifies a token or a session; not a secret. */
public record TokenId(long value) implements Comparable<TokenId> {

    @Override
    public int compareTo(TokenId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
