package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.plan.Planner;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Shape;
import dev.berth.core.task.TaskSpec;

import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Refuses tasks that the known GPUs could never run, so that they do not wait for ever. */
final class Feasibility {

    private final Planner planner;
    private final Models models;

    private final boolean isCluster;

    /**
     * @param isCluster a cluster runs the tasks
     */
    Feasibility(Planner planner, Models models, boolean isCluster) {
        this.planner = planner;
        this.models = models;
        this.isCluster = isCluster;
    }

    Optional<Rejected> refusal(TaskSpec spec, Owner owner, EngineState state) {
        if (isCluster) {
            return ClusterFeasibility.refusal(spec, state);
        }
        if (!(spec.requirements().need() instanceof Need.Gpus need)) {
            return spec.calledModel().map(_ -> Rejected.invalid("model.one_gpu", "devices"));
        }
        if (state.gpus().isEmpty()) {
            return Optional.of(noGpus());
        }
        return unusableModel(spec, owner, need)
                .or(() -> unknownType(need, state))
                .or(() -> need.devices().flatMap(devices -> badDevices(devices, state)))
                .or(() -> tooMany(need, Shape.of(spec), state));
    }

    /** A worker has one GPU. */
    private Optional<Rejected> unusableModel(TaskSpec spec, Owner owner, Need.Gpus need) {
        var model = spec.calledModel();
        if (model.isEmpty()) {
            return Optional.empty();
        }
        if (need.count().max() > 1) {
            return Optional.of(Rejected.invalid("model.one_gpu", "gpu_count"));
        }
        var known = models.find(model.get());
        if (known.isEmpty()) {
            return Optional.of(
                    Rejected.invalid("model.without_worker", "model_name")
                            .with("model", model.get())
                            .with("known", String.join(", ", models.usableBy(owner).keySet())));
        }
        var access = known.get().access();
        return access.isOpenTo(owner)
                ? Optional.empty()
                : access.owner()
                        .map(
                                other ->
                                        Rejected.invalid("model.of_other", "model_name")
                                                .with("model", model.get())
                                                .with("owner", other.name()));
    }

    private static Rejected noGpus() {
        return Rejected.impossible("cards.none", "gpu_count");
    }

    private static Optional<Rejected> unknownType(Need.Gpus need, EngineState state) {
        if (need.type().isEmpty()) {
            return Optional.empty();
        }
        var models =
                state.gpus()
                        .values()
                        .map(GpuState::gpu)
                        .map(card -> card.model())
                        .collect(Collectors.toCollection(TreeSet::new));
        if (models.contains(need.type().get())) {
            return Optional.empty();
        }
        var known = String.join(", ", models);
        return Optional.of(
                Rejected.impossible("gpu_type.unknown", "gpu_type")
                        .with("type", need.type().get())
                        .with("known", known));
    }

    private Optional<Rejected> badDevices(GpuIndices devices, EngineState state) {
        var known =
                state.gpus()
                        .values()
                        .map(one -> one.gpu().index())
                        .collect(Collectors.toCollection(TreeSet::new));
        var pool = planner.rules().pool();
        for (int index : devices.indices()) {
            if (!known.contains(index)) {
                return Optional.of(
                        Rejected.invalid("devices.unknown", "devices")
                                .with("gpu", index)
                                .with(
                                        "known",
                                        known.stream()
                                                .map(String::valueOf)
                                                .collect(Collectors.joining(", "))));
            }
            if (pool.reserved().contains(index)) {
                return Optional.of(
                        Rejected.impossible("devices.reserved", "devices").with("gpu", index));
            }
            if (pool.allowed().isPresent() && !pool.allowed().get().contains(index)) {
                return Optional.of(
                        Rejected.impossible("devices.outside", "devices").with("gpu", index));
            }
        }
        return Optional.empty();
    }

    private Optional<Rejected> tooMany(Need.Gpus need, Shape shape, EngineState state) {
        int wanted = need.count().min();
        int suitable = planner.suitableGpus(shape, state.gpus(), wanted);
        if (suitable == wanted) {
            return Optional.empty();
        }
        var ask = planner.requirement(need, shape);
        var field =
                ask.neededMib().isPresent() && suitable == 0
                        ? ask.isEstimated() ? "model_name" : "memory_gb"
                        : need.devices().isPresent() ? "devices" : "gpu_count";
        var why =
                Rejected.impossible("cards.too_many", field)
                        .with("wanted", wanted)
                        .with("exist", suitable);
        if (ask.neededMib().isPresent()) {
            why = why.with("memory_mib", ask.neededMib().getAsLong() + ask.marginMib());
        }
        return Optional.of(need.type().isPresent() ? why.with("type", need.type().get()) : why);
    }
}
