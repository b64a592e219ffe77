package dev.berth.core.task;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Indices of GPUs, ascending.
 *
 * @throws IllegalArgumentException if there is none, or one is negative
 */
public record GpuIndices(SortedSet<Integer> indices) {

    public GpuIndices {
        indices = Collections.unmodifiableSortedSet(new TreeSet<>(indices));
        if (indices.isEmpty() || indices.first() < 0) {
            throw new IllegalArgumentException("devices are numbers from 0: " + indices);
        }
    }

    public static GpuIndices of(int... indices) {
        var set = new TreeSet<Integer>();
        for (int index : indices) {
            set.add(index);
        }
        return new GpuIndices(set);
    }

    /** The inverse of {@link #apiName}. */
    public static GpuIndices parse(String text) {
        var set = new TreeSet<Integer>();
        for (var index : text.split(",", -1)) {
            set.add(Integer.valueOf(index));
        }
        return new GpuIndices(set);
    }

    /** As in the API: {@code 0,1}. */
    public String apiName() {
        return indices.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
