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

    /** Without the margin. */
    public long mib(ModelWork work) {
        long base =
                work.model()
                        .map(model -> models.getOrDefault(model, UNKNOWN_MODEL_MIB))
                        .orElse(UNKNOWN_MODEL_MIB);
        long atoms = work.atoms() == 0 ? UNKNOWN_ATOMS : work.atoms();
        return (long) ((base + atoms * MIB_PER_ATOM) * factor(work.kind().orElse("")));
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
