package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.model.Model;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.Snapshot;
import dev.berth.port.Change;
import dev.berth.port.event.WorkerPayload;

import java.util.Optional;
import java.util.OptionalInt;

/** Adds, changes and removes models, and loads and unloads them at a person's request. */
final class ModelDecider {

    /** Models that one user may have for itself. */
    static final int MAX_OWN_MODELS = 100;

    private final WorkerDecider workers;
    private final WorkerTimers timers;
    private final boolean isCluster;

    /**
     * @param isCluster a cluster runs the tasks, on hosts on which no worker can be started
     */
    ModelDecider(WorkerDecider workers, WorkerTimers timers, boolean isCluster) {
        this.workers = workers;
        this.timers = timers;
        this.isCluster = isCluster;
    }

    EngineReply decide(Decision decision, EngineCommand.SaveModel command) {
        var model = command.model();
        if (isCluster) {
            return noWorkers("worker");
        }
        if (workers.models(decision).isConfigured(model.name())) {
            return configured(model.name());
        }
        var refusal = ownerRefusal(model, workers.models(decision));
        if (refusal.isPresent()) {
            return new EngineReply.Refused(refusal.get());
        }
        decision.save(new Change.ModelSaved(model));
        decision.addEvent(command.actor(), new WorkerPayload.ModelSaved(model.name()));
        WorkerDecider.change(decision, model.name(), ModelRecord::renewed);
        WorkerDecider.change(
                decision, state -> state.withPrewarm(model.name(), model.isPrewarmed()));
        retire(decision, model.name(), "its model was changed");
        return new EngineReply.Done();
    }

    /** Tasks that wait for a model rely on whose workers run them. */
    private static Optional<Rejected> ownerRefusal(Model model, Models models) {
        var owner = model.access().owner();
        var known = models.find(model.name());
        if (known.isPresent()) {
            return known.get().access().owner().equals(owner)
                    ? Optional.empty()
                    : Optional.of(Rejected.conflict("model.taken").with("model", model.name()));
        }
        boolean isFull = owner.isPresent() && models.countOf(owner.get()) >= MAX_OWN_MODELS;
        return isFull
                ? Optional.of(Rejected.conflict("model.too_many").with("max", MAX_OWN_MODELS))
                : Optional.empty();
    }

    EngineReply decide(Decision decision, EngineCommand.RemoveModel command) {
        if (workers.models(decision).isConfigured(command.model())) {
            return configured(command.model());
        }
        if (workers.models(decision).find(command.model()).isEmpty()) {
            return unknown(command.model());
        }
        var waiting =
                decision.state()
                        .tasks()
                        .values()
                        .filter(
                                task ->
                                        task.spec()
                                                .calledModel()
                                                .filter(command.model()::equals)
                                                .isPresent())
                        .findFirst();
        if (waiting.isPresent()) {
            return new EngineReply.Refused(
                    Rejected.conflict("model.in_use")
                            .with("model", command.model())
                            .with("task", waiting.get().id()));
        }
        decision.save(new Change.ModelRemoved(command.model()));
        decision.addEvent(command.actor(), new WorkerPayload.ModelRemoved(command.model()));
        WorkerDecider.change(decision, state -> state.withPrewarm(command.model(), false));
        retire(decision, command.model(), "its model was removed");
        return new EngineReply.Done();
    }

    private static void retire(Decision decision, String model, String why) {
        WorkerDecider.retire(decision, worker -> worker.model().equals(model), why);
    }

    private static EngineReply noWorkers(String field) {
        return new EngineReply.Refused(Rejected.invalid("cluster.no_workers", field));
    }

    EngineReply decide(Decision decision, EngineCommand.LoadModel command, Snapshot snapshot) {
        if (isCluster) {
            return noWorkers("model");
        }
        var model = workers.models(decision).find(command.model());
        if (model.isEmpty()) {
            return unknown(command.model());
        }
        WorkerDecider.change(decision, command.model(), ModelRecord::renewed);
        Optional<GpuId> gpu;
        if (command.gpuIndex().isPresent()) {
            var known = decision.state().gpuAt(command.gpuIndex().getAsInt());
            if (known.isEmpty()) {
                return new EngineReply.Refused(
                        Rejected.notFound("card.unknown")
                                .with("gpu", command.gpuIndex().getAsInt()));
            }
            gpu =
                    known.map(state -> snapshot.fleet().view(schedulable(decision, state)))
                            .filter(view -> timers.hasRoom(model.get(), view, decision))
                            .map(view -> view.state().gpu().id());
        } else {
            gpu = timers.room(model.get(), snapshot, decision);
        }
        if (gpu.isEmpty()) {
            return new EngineReply.Refused(
                    Rejected.conflict("model.no_room")
                            .with("model", command.model())
                            .with("mib", workers.memoryMib(decision, model.get())));
        }
        workers.start(decision, model.get(), gpu.get());
        return new EngineReply.Done();
    }

    private static GpuState schedulable(Decision decision, GpuState state) {
        return decision.state().schedulableGpus().get(state.gpu().id()).orElse(state);
    }

    /** A worker at work is left alone. */
    EngineReply decide(Decision decision, EngineCommand.UnloadModel command) {
        if (workers.models(decision).find(command.model()).isEmpty()) {
            return unknown(command.model());
        }
        var all =
                decision.state()
                        .sinceStart()
                        .workers()
                        .all()
                        .filter(worker -> worker.model().equals(command.model()))
                        .filter(worker -> isOn(decision, worker, command.gpuIndex()))
                        .toList();
        var busy = all.stream().filter(worker -> worker.call().isPresent()).findFirst();
        if (busy.isPresent()) {
            return new EngineReply.Refused(
                    Rejected.conflict("model.at_work")
                            .with("model", command.model())
                            .with("task", busy.get().call().orElseThrow().task()));
        }
        all.forEach(worker -> WorkerDecider.stop(decision, worker, "a person unloaded it"));
        return new EngineReply.Done();
    }

    private static boolean isOn(Decision decision, WarmWorker worker, OptionalInt gpu) {
        return gpu.isEmpty() || WorkerDecider.gpuIndex(decision, worker) == gpu.getAsInt();
    }

    private static EngineReply configured(String model) {
        return new EngineReply.Refused(Rejected.conflict("model.configured").with("model", model));
    }

    private static EngineReply unknown(String model) {
        return new EngineReply.Refused(Rejected.notFound("model.unknown").with("model", model));
    }
}
