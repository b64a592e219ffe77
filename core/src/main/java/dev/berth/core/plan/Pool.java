package dev.berth.core.plan;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which cards Berth may give out, by index.
 *
 * @param ids only these; all where absent
 * @param reserved none of these, whatever else is said
 */
public record Pool(Optional<SortedSet<Integer>> ids, SortedSet<Integer> reserved) {

    public static final Pool ALL = new Pool(Optional.empty(), new TreeSet<>());

    public Pool {
        ids = ids.map(set -> Collections.unmodifiableSortedSet(new TreeSet<>(set)));
        reserved = Collections.unmodifiableSortedSet(new TreeSet<>(reserved));
    }

    public boolean contains(int index) {
        return !reserved.contains(index) && (ids.isEmpty() || ids.get().contains(index));
    }

    /** Numbers that are named here and that no card has. */
    public List<Integer> absentFrom(SortedSet<Integer> indices) {
        var named = new TreeSet<>(reserved);
        ids.ifPresent(named::addAll);
        named.removeAll(indices);
        return List.copyOf(named);
    }
}
