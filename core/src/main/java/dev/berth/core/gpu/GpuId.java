package dev.berth.core.gpu;

/** Identifies a GPU permanently, across renumbering and restarts. */
public record GpuId(String node, String uuid) implements Comparable<GpuId> {

    /**
     * Written out instead of a Comparator chain: map lookups by GPU are on the hot path, and mostly
     * of one node.
     */
    @Override
    public int compareTo(GpuId other) {
        int byNode = node.equals(other.node) ? 0 : node.compareTo(other.node);
        return byNode != 0 ? byNode : uuid.compareTo(other.uuid);
    }

    @Override
    public String toString() {
        return node + "/" + uuid;
    }
}
