package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.model.ModelTimes;
import dev.berth.core.model.WarmModels;
import dev.berth.core.model.WarmWorker;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The workers of this server. A restart ends them all.
 *
 * @param workers by the attempt whose process each is
 * @param failures why workers failed that have not ended yet
 * @param outdated workers that end after their task, because their model was changed
 * @param models what is known of each model that was used or has failed
 * @param toPrewarm models that no worker was started for yet
 */
public record WorkerState(
        PersistentMap<AttemptId, WarmWorker> workers,
        PersistentMap<AttemptId, String> failures,
        PersistentMap<AttemptId, Boolean> outdated,
        PersistentMap<String, ModelRecord> models,
        PersistentMap<String, Boolean> toPrewarm) {

    static final WorkerState NONE =
            new WorkerState(
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    PersistentMap.empty());

    /** As the planner sees them. */
    public WarmModels warm(Instant at) {
        if (workers.isEmpty() && models.isEmpty()) {
            return WarmModels.NONE;
        }
        var byGpu = PersistentMap.<GpuId, List<WarmWorker>>empty();
        for (var worker : workers.values().toList()) {
            var there = new ArrayList<>(byGpu.get(worker.gpu()).orElse(List.of()));
            there.add(worker);
            byGpu = byGpu.with(worker.gpu(), List.copyOf(there));
        }
        var setAside = PersistentMap.<String, String>empty();
        var times = PersistentMap.<String, ModelTimes>empty();
        for (var entry : models) {
            var why = entry.getValue().unusable(at);
            if (why.isPresent()) {
                setAside = setAside.with(entry.getKey(), why.get());
            }
            var seen = entry.getValue().times();
            if (seen.isPresent()) {
                times = times.with(entry.getKey(), seen.get());
            }
        }
        for (var worker : workers.values().toList()) {
            if (worker.status() == WarmWorker.Status.LEFT_OVER) {
                setAside =
                        setAside.with(
                                worker.model(), "a worker of the earlier server is being ended");
            }
        }
        return new WarmModels(byGpu, setAside, times, PersistentMap.empty());
    }

    public Stream<WarmWorker> all() {
        return workers.values();
    }

    /** The worker that can run tasks of the model on this GPU. */
    Optional<WarmWorker> find(String model, GpuId gpu) {
        return workers.values()
                .filter(
                        worker ->
                                worker.gpu().equals(gpu)
                                        && worker.model().equals(model)
                                        && !worker.isStopping())
                .findFirst();
    }

    public ModelRecord model(String name) {
        return models.get(name).orElse(ModelRecord.NEW);
    }

    WorkerState with(WarmWorker worker) {
        return new WorkerState(
                workers.with(worker.id(), worker), failures, outdated, models, toPrewarm);
    }

    WorkerState without(AttemptId worker) {
        return new WorkerState(
                workers.without(worker),
                failures.without(worker),
                outdated.without(worker),
                models,
                toPrewarm);
    }

    /** The first reason counts. */
    WorkerState withFailure(AttemptId worker, String why) {
        return failures.contains(worker)
                ? this
                : new WorkerState(workers, failures.with(worker, why), outdated, models, toPrewarm);
    }

    WorkerState withOutdated(AttemptId worker) {
        return new WorkerState(workers, failures, outdated.with(worker, true), models, toPrewarm);
    }

    WorkerState with(String model, ModelRecord record) {
        return new WorkerState(workers, failures, outdated, models.with(model, record), toPrewarm);
    }

    WorkerState withPrewarm(String model, boolean isWanted) {
        return new WorkerState(
                workers,
                failures,
                outdated,
                models,
                isWanted ? toPrewarm.with(model, true) : toPrewarm.without(model));
    }

    /** When a model may be tried again after a failure. */
    Stream<Instant> retryTimes() {
        return models.values().flatMap(record -> record.failures().retryAt().stream());
    }
}
