package dev.berth.core.model;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;

import java.time.Duration;
import java.util.List;

/**
 * The workers on each GPU.
 *
 * @param setAside models whose workers fail again and again, with the reason
 * @param times of models that were loaded and used
 * @param waits models whose tasks wait for a worker at work
 */
public record WarmModels(
        PersistentMap<GpuId, List<WarmWorker>> workers,
        PersistentMap<String, String> setAside,
        PersistentMap<String, ModelTimes> times,
        PersistentMap<String, Wait> waits) {

    public static final WarmModels NONE =
            new WarmModels(PersistentMap.empty(), PersistentMap.empty());

    /**
     * @param load what one more worker would take to load the model
     * @param expected until a worker that has it is free
     */
    public record Wait(Duration load, Duration expected) {}

    /** Without times. */
    public WarmModels(
            PersistentMap<GpuId, List<WarmWorker>> workers,
            PersistentMap<String, String> setAside) {
        this(workers, setAside, PersistentMap.empty(), PersistentMap.empty());
    }

    public WarmModels with(PersistentMap<String, Wait> others) {
        return new WarmModels(workers, setAside, times, others);
    }

    public List<WarmWorker> on(GpuId gpu) {
        return workers.get(gpu).orElse(List.of());
    }

    /** The workers of a model that run a task, or will when they are ready. */
    public List<WarmWorker> busy(String model) {
        return workers.values()
                .flatMap(List::stream)
                .filter(worker -> worker.model().equals(model))
                .filter(worker -> !worker.isStopping() && worker.call().isPresent())
                .toList();
    }

    /** Its tasks wait although GPUs may be free: they block no other. */
    public boolean isHeldBack(String model) {
        return setAside.contains(model) || waits.contains(model);
    }
}
