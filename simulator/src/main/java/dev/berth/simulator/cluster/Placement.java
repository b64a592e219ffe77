package dev.berth.simulator.cluster;

import dev.berth.simulator.trace.JobNeed;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Where a job goes. */
public enum Placement {
    /** A job fits if enough GPUs are free, on any nodes. */
    COUNT,
    /** On as few nodes as possible. */
    CONSOLIDATE,
    /** On one node, with shares of a GPU, cores, host memory and GPU models. */
    FRACTIONAL;

    public String optionName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Placement> parse(String name) {
        return Arrays.stream(values())
                .filter(placement -> placement.optionName().equals(name))
                .findFirst();
    }

    /** What of a need this placement looks at. */
    public JobNeed relevant(JobNeed need) {
        return this == FRACTIONAL ? need : JobNeed.ofGpus(need.gpus());
    }

    /** A pool in which everything is free. */
    public Pool<?> pool(List<Node> nodes) {
        return switch (this) {
            case COUNT -> new CountPool(nodes.stream().mapToLong(Node::gpus).sum());
            case CONSOLIDATE -> new ConsolidatedPool(nodes.stream().map(Node::gpus).toList());
            case FRACTIONAL -> new FractionalPool(nodes);
        };
    }
}
