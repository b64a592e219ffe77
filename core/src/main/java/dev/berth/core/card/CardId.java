package dev.berth.core.card;

import java.util.Comparator;

/** Names a card for ever, across renumbering and restarts. */
public record CardId(String node, String uuid) implements Comparable<CardId> {

    private static final Comparator<CardId> ORDER =
            Comparator.comparing(CardId::node).thenComparing(CardId::uuid);

    @Override
    public int compareTo(CardId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return node + "/" + uuid;
    }
}
