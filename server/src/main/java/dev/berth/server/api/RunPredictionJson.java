package dev.berth.server.api;

import dev.berth.core.predict.Learned;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskSpec;
import dev.berth.wire.RunPrediction;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** Converts what earlier runs tell about a task to JSON. */
public final class RunPredictionJson {

    private static final double MILLIS = 1e3;

    private RunPredictionJson() {}

    public static RunPrediction of(Learned learned, Owner owner, TaskSpec spec) {
        var time = learned.of(owner, spec);
        return new RunPrediction(
                time.map(one -> seconds(one.median())).orElse(null),
                time.map(one -> seconds(one.p90())).orElse(null),
                time.map(one -> one.runs()).orElse(null),
                memory(learned, owner, spec));
    }

    private static @Nullable Long memory(Learned learned, Owner owner, TaskSpec spec) {
        if (!(spec.requirements().need() instanceof Need.Gpus)) {
            return null;
        }
        var mib = learned.memoryMib(owner, spec);
        return mib.isPresent() ? (Long) mib.getAsLong() : null;
    }

    public static double seconds(Duration length) {
        return length.toMillis() / MILLIS;
    }
}
