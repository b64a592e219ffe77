package dev.berth.server.api.model;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Owner;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ShimProcess;
import dev.berth.engine.EngineState;
import dev.berth.json.IsoTime;
import dev.berth.port.read.WorkerHeartbeats;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.gpu.GpuJson;
import dev.berth.wire.GpuInfo;
import dev.berth.wire.GpuWorker;
import dev.berth.wire.ModelInfo;
import dev.berth.wire.ModelWorker;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Converts models and workers to JSON. */
public final class ModelJson {

    private final EngineClient engine;
    private final GpuJson gpus;
    private final WorkerHeartbeats heartbeats;

    public ModelJson(EngineClient engine, GpuJson gpus, WorkerHeartbeats heartbeats) {
        this.engine = engine;
        this.gpus = gpus;
        this.heartbeats = heartbeats;
    }

    List<ModelInfo> all() {
        var state = engine.state();
        return engine.models().all().values().stream().map(one -> info(one, state)).toList();
    }

    Optional<ModelInfo> find(String name) {
        var state = engine.state();
        return engine.models().find(name).map(model -> info(model, state));
    }

    private ModelInfo info(Model model, EngineState state) {
        var record = state.sinceStart().workers().model(model.name());
        var rules = engine.planner().rules();
        var work = new ModelWork(Optional.of(model.name()), Optional.empty(), 0);
        return new ModelInfo(
                model.name(),
                model.worker(),
                rules.estimates().modelMibOf(work),
                model.isPrewarmed(),
                List.copyOf(model.environment().keySet()),
                model.workDir(),
                model.idleTime().orElse(rules.modelCache().timeToLive()).toSeconds(),
                engine.models().isConfigured(model.name()),
                record.setAside().orElse(null),
                record.failures().last().map(TaskId::value).orElse(null),
                record.uses().hits(),
                record.uses().misses(),
                record.uses().evictions(),
                record.loadTime().map(ModelJson::seconds).orElse(null),
                record.runTime().map(ModelJson::seconds).orElse(null),
                workers(state).stream()
                        .filter(worker -> worker.model().equals(model.name()))
                        .toList(),
                model.access().owner().map(Owner::name).orElse(null),
                model.access().runAs().map(RunAs::user).orElse(null));
    }

    /** As users see it: not how it is started, and not why its workers failed. */
    static ModelInfo withoutDetails(ModelInfo model) {
        return new ModelInfo(
                model.name(),
                "",
                model.memoryMb(),
                model.prewarm(),
                List.of(),
                "",
                model.idleSeconds(),
                model.configured(),
                model.setAside() == null ? null : "",
                null,
                model.hits(),
                model.misses(),
                model.evictions(),
                model.loadSeconds(),
                model.runSeconds(),
                model.workers(),
                model.owner(),
                null);
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }

    private List<ModelWorker> workers(EngineState state) {
        return state.sinceStart()
                .workers()
                .all()
                .map(worker -> worker(worker, state))
                .sorted(
                        Comparator.comparingInt(ModelWorker::gpuId)
                                .thenComparing(ModelWorker::model))
                .toList();
    }

    private ModelWorker worker(WarmWorker worker, EngineState state) {
        var attempt = state.attempts().get(worker.id());
        return new ModelWorker(
                worker.model(),
                state.gpus().get(worker.gpu()).orElseThrow().gpu().index(),
                worker.id().task().value(),
                attempt.flatMap(ModelJson::pid).orElse(null),
                status(worker),
                worker.call().map(call -> call.task().value()).orElse(null),
                worker.memoryMib(),
                attempt.map(one -> IsoTime.format(one.scheduledAt()))
                        .orElse(IsoTime.format(worker.lastUsed())),
                IsoTime.format(worker.lastUsed()),
                heartbeat(worker.id()));
    }

    private @Nullable String heartbeat(AttemptId worker) {
        return heartbeats.lastHeartbeat(worker).map(IsoTime::format).orElse(null);
    }

    private static Optional<Long> pid(Attempt attempt) {
        return attempt.phase().shimProcess().map(ShimProcess::key).map(key -> key.pid());
    }

    private static String status(WarmWorker worker) {
        return switch (worker.status()) {
            case LOADING -> "loading";
            case READY -> worker.call().isPresent() ? "busy" : "idle";
            case STOPPING, LEFT_OVER -> "stopping";
        };
    }

    /** One entry for each GPU. */
    List<GpuWorker> gpuWorkers() {
        var state = engine.state();
        var all = workers(state);
        return gpus.all(false).stream().map(gpu -> gpuWorker(gpu, all, state)).toList();
    }

    private static GpuWorker gpuWorker(GpuInfo gpu, List<ModelWorker> all, EngineState state) {
        int index = gpu.identity().index();
        var models = all.stream().filter(worker -> worker.gpuId() == index).toList();
        var current = gpu.tasks().currentTaskId();
        return new GpuWorker(
                "worker-gpu-" + index,
                "gpu-" + index,
                index,
                1,
                gpu.status(),
                current,
                current == null ? null : pidOf(current, state),
                models.stream()
                        .map(ModelWorker::lastHeartbeat)
                        .filter(Objects::nonNull)
                        .max(Comparator.naturalOrder())
                        .orElse(null),
                models);
    }

    private static @Nullable Long pidOf(long task, EngineState state) {
        return state.attempts()
                .values()
                .filter(attempt -> attempt.id().task().value() == task)
                .findFirst()
                .flatMap(ModelJson::pid)
                .orElse(null);
    }
}
