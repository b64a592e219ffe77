package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.task.Need;
import dev.berth.core.task.TaskSpec;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Refuses tasks that no host of the cluster could ever run, and requests that Slurm cannot take.
 */
final class ClusterFeasibility {

    private ClusterFeasibility() {}

    static Optional<Rejected> refusal(TaskSpec spec, EngineState state) {
        if (spec.calledModel().isPresent()) {
            return Optional.of(Rejected.invalid("cluster.no_workers", "model_name"));
        }
        if (!(spec.requirements().need() instanceof Need.Gpus need)) {
            return Optional.empty();
        }
        if (need.devices().isPresent()) {
            return Optional.of(Rejected.invalid("cluster.device_numbers", "devices"));
        }
        if (need.memory().isShared()) {
            return Optional.of(Rejected.invalid("cluster.no_sharing", "share"));
        }
        var gpus = state.gpus().values().map(GpuState::gpu).toList();
        // The cluster was never reached: it decides itself.
        return gpus.isEmpty() ? Optional.empty() : refusal(need, gpus);
    }

    private static Optional<Rejected> refusal(Need.Gpus need, List<Gpu> gpus) {
        var types = gpus.stream().map(Gpu::model).collect(Collectors.toCollection(TreeSet::new));
        if (need.type().isPresent() && !types.contains(need.type().get())) {
            return Optional.of(
                    Rejected.impossible("gpu_type.unknown", "gpu_type")
                            .with("type", need.type().get())
                            .with("known", String.join(", ", types)));
        }
        var memory = need.memory().mib();
        if (memory.isPresent() && gpus.stream().allMatch(gpu -> gpu.totalMib() == 0)) {
            return Optional.of(Rejected.invalid("cluster.memory_unknown", "memory_gb"));
        }
        var perHost = new TreeMap<String, Integer>();
        for (var gpu : gpus) {
            boolean isSuitable =
                    need.type().filter(type -> !type.equals(gpu.model())).isEmpty()
                            && memory.orElse(0) <= gpu.totalMib();
            if (isSuitable) {
                perHost.merge(gpu.id().node() + "/" + gpu.model(), 1, Integer::sum);
            }
        }
        int most = perHost.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return need.count().min() <= most
                ? Optional.empty()
                : Optional.of(
                        Rejected.impossible("cluster.too_many", "gpu_count")
                                .with("wanted", need.count().min())
                                .with("exist", most));
    }
}
