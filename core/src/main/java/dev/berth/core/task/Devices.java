package dev.berth.core.task;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Cards by number, ascending.
 *
 * @throws IllegalArgumentException where there is none, or one that no card can have
 */
public record Devices(SortedSet<Integer> indices) {

    public Devices {
        indices = Collections.unmodifiableSortedSet(new TreeSet<>(indices));
        if (indices.isEmpty() || indices.first() < 0) {
            throw new IllegalArgumentException("devices are numbers from 0: " + indices);
        }
    }

    public static Devices of(int... indices) {
        var set = new TreeSet<Integer>();
        for (int index : indices) {
            set.add(index);
        }
        return new Devices(set);
    }

    /** As in {@link #word}. */
    public static Devices parse(String word) {
        var set = new TreeSet<Integer>();
        for (var index : word.split(",", -1)) {
            set.add(Integer.valueOf(index));
        }
        return new Devices(set);
    }

    /** On the wire: {@code 0,1}. */
    public String word() {
        return indices.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
