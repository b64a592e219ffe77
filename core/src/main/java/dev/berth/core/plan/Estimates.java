package dev.berth.core.plan;

import dev.berth.core.task.ModelWork;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How much memory a model task is thought to need.
 *
 * @param models what each model takes by itself
 * @param marginMib kept free beyond an estimate, because it is one
 */
public record Estimates(SortedMap<String, Long> models, long marginMib) {

    public static final Estimates USUAL = new Estimates(new TreeMap<>(), 2000);

    private static final long UNKNOWN_MODEL_MIB = 4000;
    private static final long UNKNOWN_ATOMS = 500;
    private static final long MIB_PER_ATOM = 2;

    public Estimates {
        models = Collections.unmodifiableSortedMap(new TreeMap<>(models));
    }

    /** Where these were found to need more than is written here. */
    public Estimates atLeast(SortedMap<String, Long> found) {
        var all = new TreeMap<>(models);
        found.forEach((model, mib) -> all.merge(model, mib, Math::max));
        return new Estimates(all, marginMib);
    }

    /** Without the margin. */
    public long mib(ModelWork work) {
        return (long) ((base(work) + size(work)) * factor(work.kind().orElse("")));
    }

    /** What the model takes by itself. */
    public long base(ModelWork work) {
        return work.model()
                .map(model -> models.getOrDefault(model, UNKNOWN_MODEL_MIB))
                .orElse(UNKNOWN_MODEL_MIB);
    }

    /** The most that the model may take by itself for such work to fit a card of that size. */
    public long mostBase(ModelWork work, long cardMib) {
        return (long) ((cardMib - marginMib) / factor(work.kind().orElse(""))) - size(work);
    }

    /** What is thought of next after so much was not enough. */
    public static long more(long mib) {
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
