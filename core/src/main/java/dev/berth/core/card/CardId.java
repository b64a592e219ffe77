package dev.berth.core.card;

/** Names a card for ever, across renumbering and restarts. */
public record CardId(String node, String uuid) implements Comparable<CardId> {

    /** By hand, because every look at a card is a few of these. */
    @Override
    public int compareTo(CardId other) {
        int byNode = node.compareTo(other.node);
        return byNode != 0 ? byNode : uuid.compareTo(other.uuid);
    }

    @Override
    public String toString() {
        return node + "/" + uuid;
    }
}
