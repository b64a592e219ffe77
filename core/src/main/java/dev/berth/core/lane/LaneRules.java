package dev.berth.core.lane;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuState;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How the lanes of file runs share the machine with other users.
 *
 * @param gpuIndices the GPUs that lanes may use, by index and in this order; all if absent
 * @param leftForOthers number of GPUs that are left for other users
 * @param isExtreme lanes share GPUs as long as memory is free, and ignore processes of their own
 *     user
 */
public record LaneRules(Optional<List<Integer>> gpuIndices, int leftForOthers, boolean isExtreme) {

    public static final LaneRules DEFAULT = new LaneRules(Optional.empty(), 1, false);

    public LaneRules {
        gpuIndices = gpuIndices.map(List::copyOf);
        if (leftForOthers < 0) {
            throw new IllegalArgumentException("gpu_left is 0 or more, not " + leftForOthers);
        }
    }

    /**
     * The GPUs that lanes may use now: those that are readable and in the pool; the last ones are
     * left for others.
     */
    public LaneGpus usableGpus(PersistentMap<?, GpuState> known, GpuPool pool) {
        var available = new TreeSet<Integer>();
        known.values()
                .filter(GpuState::isReadable)
                .map(state -> state.gpu().index())
                .filter(pool::contains)
                .forEach(available::add);
        var list = new ArrayList<Integer>(gpuIndices.orElseGet(() -> List.copyOf(available)));
        list.retainAll(available);
        int firstLeft = Math.max(0, list.size() - leftForOthers);
        return new LaneGpus(
                new TreeSet<>(list), new TreeSet<>(list.subList(firstLeft, list.size())));
    }

    /**
     * GPUs for lanes, by index.
     *
     * @param leftForOthers the part of {@code all} that is left for other users
     */
    public record LaneGpus(SortedSet<Integer> all, SortedSet<Integer> leftForOthers) {

        public LaneGpus {
            all = Collections.unmodifiableSortedSet(new TreeSet<>(all));
            leftForOthers = Collections.unmodifiableSortedSet(new TreeSet<>(leftForOthers));
        }
    }
}
