package dev.berth.simulator.cluster;

/**
 * One node.
 *
 * @param model of its GPUs; empty if unknown, which every job accepts
 */
public record Node(int gpus, long cpuMilli, long memoryMib, String model) {

    /** A node whose cores and host memory limit nothing. */
    public static Node ofGpus(int gpus) {
        return new Node(gpus, Long.MAX_VALUE, Long.MAX_VALUE, "");
    }
}
