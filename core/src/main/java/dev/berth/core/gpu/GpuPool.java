package dev.berth.core.gpu;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The GPUs that Berth may use, by index.
 *
 * @param allowed only these; all if absent
 * @param reserved never these, even if they are in {@code ids}
 */
public record GpuPool(Optional<SortedSet<Integer>> allowed, SortedSet<Integer> reserved) {

    public static final GpuPool ALL = new GpuPool(Optional.empty(), new TreeSet<>());

    public GpuPool {
        allowed = allowed.map(set -> Collections.unmodifiableSortedSet(new TreeSet<>(set)));
        reserved = Collections.unmodifiableSortedSet(new TreeSet<>(reserved));
    }

    public boolean contains(int index) {
        return !reserved.contains(index) && (allowed.isEmpty() || allowed.get().contains(index));
    }

    /** Indices that are configured here but not in {@code indices}. */
    public List<Integer> missingFrom(SortedSet<Integer> indices) {
        var named = new TreeSet<>(reserved);
        allowed.ifPresent(named::addAll);
        named.removeAll(indices);
        return List.copyOf(named);
    }
}
