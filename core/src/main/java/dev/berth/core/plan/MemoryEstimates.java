package dev.berth.core.plan;

import dev.berth.core.task.ModelWork;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Estimates the memory of model tasks.
 *
 * @param modelMib memory of each model itself, in MiB
 * @param marginMib memory kept free in addition, because estimates are inexact
 */
public record MemoryEstimates(SortedMap<String, Long> modelMib, long marginMib) {

    public static final MemoryEstimates DEFAULT = new MemoryEstimates(new TreeMap<>(), 2000);

    private static final long UNKNOWN_MODEL_MIB = 4000;
    private static final long UNKNOWN_ATOMS = 500;
    private static final long MIB_PER_ATOM = 2;

    public MemoryEstimates {
        modelMib = Collections.unmodifiableSortedMap(new TreeMap<>(modelMib));
    }

    /** With observed values where they are higher than the configured ones. */
    public MemoryEstimates atLeast(SortedMap<String, Long> observed) {
        var all = new TreeMap<>(modelMib);
        observed.forEach((model, mib) -> all.merge(model, mib, Math::max));
        return new MemoryEstimates(all, marginMib);
    }

    /** Without the margin. */
    public long mib(ModelWork work) {
        return (long) ((modelMibOf(work) + size(work)) * factor(work.kind().orElse("")));
    }

    /** Memory of the model itself. */
    public long modelMibOf(ModelWork work) {
        return work.model()
                .map(model -> modelMib.getOrDefault(model, UNKNOWN_MODEL_MIB))
                .orElse(UNKNOWN_MODEL_MIB);
    }

    /** The highest model memory with which this computation still fits a GPU of that size. */
    public long maxModelMib(ModelWork work, long gpuMib) {
        return (long) ((gpuMib - marginMib) / factor(work.kind().orElse(""))) - size(work);
    }

    /** The next estimate after {@code mib} was not enough: 20 % more. */
    public static long increased(long mib) {
        return Math.ceilDiv(mib * 6, 5);
    }

    private static long size(ModelWork work) {
        return (work.atoms() == 0 ? UNKNOWN_ATOMS : work.atoms()) * MIB_PER_ATOM;
    }

    private static double factor(String kind) {
        return switch (kind) {
            case "optimization" -> 1.2;
            case "stability" -> 1.5;
            case "heat-capacity" -> 2.0;
            case "bulk-modulus" -> 1.3;
            default -> 1.0;
        };
    }
}
