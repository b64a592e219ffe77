package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.task.Attempt;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Recent releases of GPUs. A restart may forget them: a new server reads each GPU before it uses
 * it.
 *
 * @param leaving ended attempts that no later reading has shown to be off the GPU
 * @param releasedAt when a task last released the GPU
 * @param recentModels the models last used on the GPU
 * @param readFailure why no GPU can be read, if so
 */
public record GpuReleases(
        PersistentMap<GpuId, List<AttemptId>> leaving,
        PersistentMap<GpuId, Instant> releasedAt,
        PersistentMap<GpuId, List<ModelCache.Use>> recentModels,
        Optional<String> readFailure) {

    static final GpuReleases NONE =
            new GpuReleases(
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    Optional.empty());

    /** The attempt ended; its GPUs count as left only once a reading has shown that. */
    GpuReleases released(Attempt attempt, Instant at, boolean isOffItsCards) {
        var going = leaving;
        var times = releasedAt;
        for (var claim : attempt.claims()) {
            times = times.with(claim.gpu(), at);
            if (!isOffItsCards) {
                var there = new ArrayList<>(going.get(claim.gpu()).orElse(List.of()));
                there.add(attempt.id());
                going = going.with(claim.gpu(), List.copyOf(there));
            }
        }
        return new GpuReleases(going, times, recentModels, readFailure);
    }

    /** The GPUs that the attempt may still use. */
    List<GpuId> gpusLeftBy(AttemptId attempt) {
        var cards = new ArrayList<GpuId>();
        for (var entry : leaving) {
            if (entry.getValue().contains(attempt)) {
                cards.add(entry.getKey());
            }
        }
        return cards;
    }

    GpuReleases withoutLeaving(AttemptId attempt) {
        var going = leaving;
        for (var card : gpusLeftBy(attempt)) {
            var there = new ArrayList<>(going.get(card).orElseThrow());
            there.remove(attempt);
            going = there.isEmpty() ? going.without(card) : going.with(card, List.copyOf(there));
        }
        return new GpuReleases(going, releasedAt, recentModels, readFailure);
    }

    /** A quarantined GPU has no model loaded. */
    GpuReleases withoutModels(GpuId card) {
        return new GpuReleases(leaving, releasedAt, recentModels.without(card), readFailure);
    }

    GpuReleases with(Optional<String> other) {
        return new GpuReleases(leaving, releasedAt, recentModels, other);
    }

    /** The attempt starts or stops using a model on its GPUs. */
    GpuReleases withModelUse(Attempt attempt, String model, ModelCache cache, Instant at) {
        var uses = recentModels;
        for (var claim : attempt.claims()) {
            var there = uses.get(claim.gpu()).orElse(List.of());
            uses = uses.with(claim.gpu(), cache.afterUse(there, model, at));
        }
        return new GpuReleases(leaving, releasedAt, uses, readFailure);
    }
}
