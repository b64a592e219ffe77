package dev.berth.core.model;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;

import java.util.List;

/**
 * The workers on each GPU.
 *
 * @param setAside models whose workers fail again and again, with the reason
 */
public record WarmModels(
        PersistentMap<GpuId, List<WarmWorker>> workers, PersistentMap<String, String> setAside) {

    public static final WarmModels NONE =
            new WarmModels(PersistentMap.empty(), PersistentMap.empty());

    public List<WarmWorker> on(GpuId gpu) {
        return workers.get(gpu).orElse(List.of());
    }
}
