package dev.berth.engine;

import java.util.OptionalInt;

/**
 * How tasks are handed to a cluster.
 *
 * @param window tasks of one user in the cluster; by default twice the number of its GPUs
 */
public record ClusterTerms(OptionalInt window) {

    private static final int MIN_DEFAULT = 8;

    int limit(EngineState state) {
        return window.orElseGet(() -> Math.max(MIN_DEFAULT, 2 * state.gpus().size()));
    }
}
