package dev.berth.simulator.cluster;

import dev.berth.simulator.cluster.ConsolidatedPool.NodeGpus;
import dev.berth.simulator.trace.JobNeed;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Keeps a job on as few nodes as possible. A job that is not larger than the largest node gets one
 * node: the one with the fewest free GPUs that has enough. A larger job gets entirely free nodes of
 * the largest size, and its remainder goes to the node with the most free GPUs among the others.
 * Ties: the lowest index.
 */
public final class ConsolidatedPool implements Pool<NodeGpus> {

    /**
     * GPUs of nodes, by the nodes' indices.
     *
     * @param last how many on the last of the nodes; of the others all
     */
    public record NodeGpus(List<Integer> nodes, int last) {}

    private final long gpus;
    private final int largest;
    private final int[] free;

    /** The nodes with that many free GPUs. */
    private final BitSet[] byFree;

    private final int[] count;

    public ConsolidatedPool(List<Integer> sizes) {
        gpus = sizes.stream().mapToLong(size -> size).sum();
        largest = sizes.stream().mapToInt(size -> size).max().orElse(0);
        free = sizes.stream().mapToInt(size -> size).toArray();
        byFree = new BitSet[largest + 1];
        count = new int[largest + 1];
        for (int level = 0; level <= largest; level++) {
            byFree[level] = new BitSet(free.length);
        }
        for (int node = 0; node < free.length; node++) {
            byFree[free[node]].set(node);
            count[free[node]]++;
        }
    }

    private ConsolidatedPool(ConsolidatedPool other) {
        gpus = other.gpus;
        largest = other.largest;
        free = other.free.clone();
        count = other.count.clone();
        byFree = new BitSet[largest + 1];
        for (int level = 0; level <= largest; level++) {
            byFree[level] = (BitSet) other.byFree[level].clone();
        }
    }

    @Override
    public boolean fits(JobNeed need) {
        int wanted = need.gpus();
        if (wanted == 0) {
            return true;
        }
        if (wanted <= largest) {
            return anyFrom(wanted, largest);
        }
        int whole = wanted / largest;
        int rest = wanted % largest;
        if (largest == 0 || count[largest] < whole) {
            return false;
        }
        return rest == 0 || count[largest] > whole || anyFrom(rest, largest - 1);
    }

    private boolean anyFrom(int least, int most) {
        for (int level = least; level <= most; level++) {
            if (count[level] > 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public NodeGpus choose(JobNeed need) {
        int wanted = need.gpus();
        if (wanted == 0) {
            return new NodeGpus(List.of(), 0);
        }
        return wanted <= largest ? oneNode(wanted) : severalNodes(wanted);
    }

    private NodeGpus oneNode(int wanted) {
        int level = wanted;
        while (count[level] == 0) {
            level++;
        }
        return new NodeGpus(List.of(byFree[level].nextSetBit(0)), wanted);
    }

    private NodeGpus severalNodes(int wanted) {
        int rest = wanted % largest;
        var nodes = new ArrayList<Integer>();
        int next = byFree[largest].nextSetBit(0);
        for (int taken = 0; taken < wanted / largest; taken++) {
            nodes.add(next);
            next = byFree[largest].nextSetBit(next + 1);
        }
        if (rest == 0) {
            return new NodeGpus(nodes, largest);
        }
        int level = largest;
        while (next < 0) {
            level--;
            next = byFree[level].nextSetBit(0);
        }
        nodes.add(next);
        return new NodeGpus(nodes, rest);
    }

    @Override
    public void take(NodeGpus place) {
        change(place, -1);
    }

    @Override
    public void release(NodeGpus place) {
        change(place, 1);
    }

    private void change(NodeGpus place, int sign) {
        int last = place.nodes().size() - 1;
        for (int at = 0; at <= last; at++) {
            change(place.nodes().get(at), sign * (at == last ? place.last() : largest));
        }
    }

    private void change(int node, int by) {
        byFree[free[node]].clear(node);
        count[free[node]]--;
        free[node] += by;
        byFree[free[node]].set(node);
        count[free[node]]++;
    }

    @Override
    public ConsolidatedPool copy() {
        return new ConsolidatedPool(this);
    }

    @Override
    public long gpus() {
        return gpus;
    }
}
