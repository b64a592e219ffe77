package dev.berth.engine;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.model.Model;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.GpuView;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What becomes due with time: workers that nobody uses end, and models are loaded ahead. */
final class WorkerTimers {

    private final Planner planner;
    private final WorkerDecider workers;

    /** As they were at the last change: enough for idle times. */
    private final Models models;

    WorkerTimers(Planner planner, Models models, WorkerDecider workers) {
        this.planner = planner;
        this.models = models;
        this.workers = workers;
    }

    /**
     * @param current asked for only if a model has to be loaded ahead
     */
    void decide(Decision decision, Supplier<Snapshot> current) {
        var state = decision.state().sinceStart().workers();
        state.all()
                .filter(worker -> worker.isIdle() && !expiry(worker).isAfter(decision.at()))
                .toList()
                .forEach(worker -> WorkerDecider.stop(decision, worker, "nobody used it"));
        if (state.toPrewarm().isEmpty()) {
            return;
        }
        var snapshot = current.get();
        if (snapshot.starts().pause().isPresent()) {
            return;
        }
        for (var entry : state.toPrewarm()) {
            workers.models(decision)
                    .find(entry.getKey())
                    .ifPresent(model -> prewarm(decision, model, snapshot));
        }
    }

    private void prewarm(Decision decision, Model model, Snapshot snapshot) {
        var state = decision.state().sinceStart().workers();
        if (state.warm(decision.at()).setAside().contains(model.name())) {
            return;
        }
        boolean isLoaded =
                state.all().anyMatch(one -> one.model().equals(model.name()) && !one.isStopping());
        var gpu = isLoaded ? Optional.<GpuId>empty() : room(model, snapshot, decision);
        if (isLoaded || gpu.isPresent()) {
            gpu.ifPresent(where -> workers.start(decision, model, where));
            WorkerDecider.change(decision, now -> now.withPrewarm(model.name(), false));
        }
    }

    /** The GPU with the fewest workers that has room for one more. */
    Optional<GpuId> room(Model model, Snapshot snapshot, Decision decision) {
        return snapshot.fleet()
                .views()
                .filter(view -> hasRoom(model, view, decision))
                .min(
                        Comparator.comparingInt((GpuView view) -> view.workers().size())
                                .thenComparingInt(view -> view.state().gpu().index()))
                .map(view -> view.state().gpu().id());
    }

    boolean hasRoom(Model model, GpuView view, Decision decision) {
        var shape =
                Shape.of(
                        new Need.Gpus(
                                Need.GpuCount.of(1),
                                Optional.empty(),
                                Need.GpuMemory.of(workers.memoryMib(decision, model))),
                        Optional.of(
                                new ModelWork(
                                        Optional.of(model.name()), Optional.empty(), 0, true)));
        var gpu = view.state().gpu().id();
        boolean isFreshlyTaken =
                decision.state().sinceStart().workers().find(model.name(), gpu).isPresent();
        return !isFreshlyTaken
                && !decision.state().holds().contains(gpu)
                && planner.canStartNow(shape, faultIgnored(view, decision));
    }

    /** A worker that was offline is started again on the GPU that it was on. */
    private static GpuView faultIgnored(GpuView view, Decision decision) {
        var gpu = view.state().gpu().id();
        boolean isOnlyWorker =
                decision.state()
                        .durable()
                        .faults()
                        .get(gpu)
                        .filter(fault -> fault.kind() == GpuFault.Kind.WORKER)
                        .isPresent();
        return isOnlyWorker ? view.with(decision.state().gpus().get(gpu).orElseThrow()) : view;
    }

    /** A time that has passed must not hide a later one: a model keeps the time of its retry. */
    Optional<Instant> nextAfter(EngineState state, Instant at) {
        var workerState = state.sinceStart().workers();
        return Stream.concat(
                        workerState.all().filter(WarmWorker::isIdle).map(this::expiry),
                        workerState.retryTimes())
                .filter(then -> then.isAfter(at))
                .min(Comparator.naturalOrder());
    }

    private Instant expiry(WarmWorker worker) {
        return worker.lastUsed().plus(idleTime(worker));
    }

    private Duration idleTime(WarmWorker worker) {
        return models.find(worker.model())
                .flatMap(Model::idleTime)
                .orElse(planner.rules().modelCache().timeToLive());
    }
}
