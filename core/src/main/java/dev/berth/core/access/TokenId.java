package dev.berth.core.access;

/** Names a token or a session; no secret. */
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
