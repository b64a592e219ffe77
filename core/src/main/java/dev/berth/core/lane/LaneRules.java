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
     * The GPUs that lanes may use. Of the readable ones the last are left for others. One that
     * cannot be read now is for lanes too: it is refused because of that, and only while it lasts.
     */
    public LaneGpus usableGpus(PersistentMap<?, GpuState> known, GpuPool pool) {
        var all = new TreeSet<Integer>();
        var readable = new TreeSet<Integer>();
        known.values()
                .filter(state -> pool.contains(state.gpu().index()))
                .forEach(
                        state -> {
                            all.add(state.gpu().index());
                            if (state.isReadable()) {
                                readable.add(state.gpu().index());
                            }
                        });
        gpuIndices.ifPresent(all::retainAll);
        var list = new ArrayList<Integer>(gpuIndices.orElseGet(() -> List.copyOf(readable)));
        list.retainAll(readable);
        int firstLeft = Math.max(0, list.size() - leftForOthers);
        return new LaneGpus(all, new TreeSet<>(list.subList(firstLeft, list.size())));
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
