package dev.berth.simulator.cluster;

import dev.berth.simulator.cluster.FractionalPool.Share;
import dev.berth.simulator.trace.JobNeed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives shares of a GPU, with cores, host memory and GPU models. A job is on one node. Each kind of
 * job goes where it leaves the least unused; the comments of the three methods have the orders.
 */
public final class FractionalPool implements Pool<Share> {

    private static final int NONE = -1;

    /** The GPUs, cores and memory of one job on its node. */
    public record Share(int node, List<Integer> gpus, JobNeed need) {}

    private final List<Node> nodes;
    private final int[][] freeOfGpu;
    private final int[] freeOfNode;
    private final int[] untouched;
    private final long[] cpu;
    private final long[] memory;

    /** The nodes of all releases, the latest last. */
    private final List<Integer> released = new ArrayList<>();

    /** Needs that did not fit when there were that many releases. Only a release changes that. */
    private final Map<JobNeed, Integer> misfits = new IdentityHashMap<>();

    public FractionalPool(List<Node> nodes) {
        this.nodes = List.copyOf(nodes);
        int size = nodes.size();
        freeOfGpu = new int[size][];
        freeOfNode = new int[size];
        untouched = new int[size];
        cpu = new long[size];
        memory = new long[size];
        for (int node = 0; node < size; node++) {
            var full = nodes.get(node);
            freeOfGpu[node] = new int[full.gpus()];
            Arrays.fill(freeOfGpu[node], JobNeed.WHOLE);
            freeOfNode[node] = full.gpus() * JobNeed.WHOLE;
            untouched[node] = full.gpus();
            cpu[node] = full.cpuMilli();
            memory[node] = full.memoryMib();
        }
    }

    private FractionalPool(FractionalPool other) {
        nodes = other.nodes;
        freeOfGpu = new int[other.freeOfGpu.length][];
        for (int node = 0; node < freeOfGpu.length; node++) {
            freeOfGpu[node] = other.freeOfGpu[node].clone();
        }
        freeOfNode = other.freeOfNode.clone();
        untouched = other.untouched.clone();
        cpu = other.cpu.clone();
        memory = other.memory.clone();
    }

    @Override
    public boolean fits(JobNeed need) {
        var since = misfits.get(need);
        boolean fits = since == null ? fitsAnywhere(need) : fitsWhereReleased(need, since);
        if (fits) {
            misfits.remove(need);
        } else {
            misfits.put(need, released.size());
        }
        return fits;
    }

    private boolean fitsWhereReleased(JobNeed need, int since) {
        if (released.size() - since > nodes.size()) {
            return fitsAnywhere(need);
        }
        for (int at = since; at < released.size(); at++) {
            if (fits(need, released.get(at))) {
                return true;
            }
        }
        return false;
    }

    private boolean fitsAnywhere(JobNeed need) {
        for (int node = 0; node < nodes.size(); node++) {
            if (fits(need, node)) {
                return true;
            }
        }
        return false;
    }

    private boolean fits(JobNeed need, int node) {
        if (!hasRoom(need, node)) {
            return false;
        }
        return need.isShare() ? bestGpu(need, node) != NONE : need.gpus() <= untouched[node];
    }

    /** Whether cores, host memory and GPU model suit the job. */
    private boolean hasRoom(JobNeed need, int node) {
        var model = nodes.get(node).model();
        return need.cpuMilli() <= cpu[node]
                && need.memoryMib() <= memory[node]
                && (need.gpuTypes().isEmpty()
                        || model.isEmpty()
                        || need.gpuTypes().contains(model));
    }

    @Override
    public Share choose(JobNeed need) {
        if (need.isShare()) {
            return shareOfGpu(need);
        }
        return need.gpus() == 0 ? withoutGpu(need) : wholeGpus(need);
    }

    /** The lowest (free part of the GPU, free part of the node, node, GPU). */
    private Share shareOfGpu(JobNeed need) {
        int best = NONE;
        int bestGpu = NONE;
        for (int node = 0; node < nodes.size(); node++) {
            int gpu = hasRoom(need, node) ? bestGpu(need, node) : NONE;
            if (gpu != NONE && (best == NONE || isTighter(node, gpu, best, bestGpu))) {
                best = node;
                bestGpu = gpu;
            }
        }
        return new Share(best, List.of(bestGpu), need);
    }

    private boolean isTighter(int node, int gpu, int other, int otherGpu) {
        int free = freeOfGpu[node][gpu];
        int otherFree = freeOfGpu[other][otherGpu];
        return free < otherFree || (free == otherFree && freeOfNode[node] < freeOfNode[other]);
    }

    /** The GPU of a node with the least free part that is enough. */
    private int bestGpu(JobNeed need, int node) {
        var free = freeOfGpu[node];
        int best = NONE;
        for (int gpu = 0; gpu < free.length; gpu++) {
            if (free[gpu] >= need.milli() && (best == NONE || free[gpu] < free[best])) {
                best = gpu;
            }
        }
        return best;
    }

    /** The lowest (untouched GPUs, free part of the node, node), and its first untouched GPUs. */
    private Share wholeGpus(JobNeed need) {
        int best = NONE;
        for (int node = 0; node < nodes.size(); node++) {
            if (fits(need, node)
                    && (best == NONE
                            || untouched[node] < untouched[best]
                            || (untouched[node] == untouched[best]
                                    && freeOfNode[node] < freeOfNode[best]))) {
                best = node;
            }
        }
        var gpus = new ArrayList<Integer>(need.gpus());
        for (int gpu = 0; gpus.size() < need.gpus(); gpu++) {
            if (freeOfGpu[best][gpu] == JobNeed.WHOLE) {
                gpus.add(gpu);
            }
        }
        return new Share(best, gpus, need);
    }

    /** The lowest (free part of the node, free cores, node). */
    private Share withoutGpu(JobNeed need) {
        int best = NONE;
        for (int node = 0; node < nodes.size(); node++) {
            if (fits(need, node)
                    && (best == NONE
                            || freeOfNode[node] < freeOfNode[best]
                            || (freeOfNode[node] == freeOfNode[best] && cpu[node] < cpu[best]))) {
                best = node;
            }
        }
        return new Share(best, List.of(), need);
    }

    @Override
    public void take(Share place) {
        change(place, -1);
    }

    @Override
    public void release(Share place) {
        change(place, 1);
        released.add(place.node());
    }

    private void change(Share place, int sign) {
        int node = place.node();
        var need = place.need();
        int part = sign * need.milli();
        for (int gpu : place.gpus()) {
            untouched[node] -= freeOfGpu[node][gpu] == JobNeed.WHOLE ? 1 : 0;
            freeOfGpu[node][gpu] += part;
            untouched[node] += freeOfGpu[node][gpu] == JobNeed.WHOLE ? 1 : 0;
            freeOfNode[node] += part;
        }
        cpu[node] += sign * need.cpuMilli();
        memory[node] += sign * need.memoryMib();
    }

    @Override
    public FractionalPool copy() {
        return new FractionalPool(this);
    }

    @Override
    public long gpus() {
        return nodes.stream().mapToLong(Node::gpus).sum();
    }
}
