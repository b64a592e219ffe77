package dev.berth.engine;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.MemoryEstimates;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.Requirements;
import dev.berth.core.task.Script;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.Change;
import dev.berth.port.Node;
import dev.berth.port.event.WorkerPayload;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Starts workers, gives them tasks, and ends them. A worker is a task of Berth's own: the same
 * launcher starts it, and its attempt claims the memory of its GPU.
 */
final class WorkerDecider {

    private final TaskStarter.NodeSession place;
    private final SortedMap<String, Model> configured;
    private final MemoryEstimates estimates;
    private final Node.LaunchTerms terms;

    WorkerDecider(
            TaskStarter.NodeSession place,
            SortedMap<String, Model> configured,
            MemoryEstimates estimates,
            Node.LaunchTerms terms) {
        this.place = place;
        this.configured = configured;
        this.estimates = estimates;
        this.terms = terms;
    }

    /**
     * Lets a worker on the claimed GPU run the attempt; starts the worker if there is none.
     *
     * @param attempt not saved yet
     */
    Attempt startCall(Decision decision, Task task, Attempt attempt) {
        var model = task.spec().calledModel().orElseThrow();
        var gpu = attempt.claims().getFirst().gpu();
        var loaded = decision.state().sinceStart().workers().find(model, gpu);
        change(decision, model, loaded.isPresent() ? ModelRecord::hit : ModelRecord::missed);
        var worker =
                loaded.orElseGet(
                        () -> start(decision, models(decision).find(model).orElseThrow(), gpu));
        save(decision, worker.with(attempt.id(), decision.at()));
        decision.addEffect(
                new Effect.Call(
                        new Node.Call(
                                attempt.id(),
                                worker.id(),
                                task.spec().requirements().work().flatMap(ModelWork::kind),
                                "",
                                task.spec().options().timeLimit(),
                                Optional.empty())));
        return attempt.withWorker(worker.id());
    }

    /** The GPU must have room for it. */
    WarmWorker start(Decision decision, Model model, GpuId gpu) {
        var id = new AttemptId(new TaskId(decision.state().lastIds().task() + 1), 1);
        long mib = memoryMib(decision, model);
        var spec = spec(model, mib);
        var owner = model.access().owner().orElse(Owner.BERTH);
        var queued = Task.queued(id.task(), owner, spec, decision.at());
        decision.save(queued.after(new TaskTransition.Start(id.number())));
        var attempt =
                new Attempt(
                                id,
                                place.node(),
                                place.epoch(),
                                place.bootId(),
                                List.of(new Claim(gpu, mib, false)),
                                decision.at(),
                                new Phase.Starting())
                        .withWorker(id);
        decision.save(attempt);
        var worker =
                new WarmWorker(
                        id,
                        model.name(),
                        gpu,
                        mib,
                        WarmWorker.Status.LOADING,
                        Optional.empty(),
                        decision.at());
        save(decision, worker);
        var card = decision.state().gpus().get(gpu).orElseThrow().gpu();
        decision.addEvent(
                Owner.BERTH, id, new WorkerPayload.WorkerLoading(model.name(), card.index()));
        decision.addEffect(
                new Effect.Launch(
                        new Node.Launch(
                                attempt,
                                spec,
                                List.of(card),
                                terms,
                                Optional.empty(),
                                Optional.of(Node.Submission.of(queued)))));
        return worker;
    }

    /** As they are now: a change in this step counts already. */
    Models models(Decision decision) {
        return new Models(configured, decision.state().durable().models());
    }

    /** As stated, or more if tasks of the model ran out of memory. */
    long memoryMib(Decision decision, Model model) {
        long stated =
                model.memoryMib() > 0
                        ? model.memoryMib()
                        : estimates.modelMibOf(
                                new ModelWork(Optional.of(model.name()), Optional.empty(), 0));
        return Math.max(
                stated, decision.state().durable().estimates().get(model.name()).orElse(0L));
    }

    private static TaskSpec spec(Model model, long mib) {
        return new TaskSpec(
                "worker " + model.name(),
                TaskSource.WORKER,
                new Script.Text(
                        model.worker(),
                        model.workDir(),
                        model.environment(),
                        model.access().runAs()),
                new Requirements(
                        Need.Gpus.shared(mib),
                        Optional.of(new ModelWork(Optional.of(model.name()), Optional.empty(), 0))),
                TaskOptions.DEFAULT);
    }

    /** Ends workers in favour of a task. */
    static void evict(Decision decision, List<WarmWorker> workers) {
        for (var worker : workers) {
            if (!worker.isStopping()) {
                change(decision, worker.model(), ModelRecord::evicted);
                stop(decision, worker, "its GPU is needed");
            }
        }
    }

    /** A worker that is being ended already is left alone. */
    static void stop(Decision decision, WarmWorker worker, String why) {
        var attempt = decision.state().attempts().get(worker.id());
        if (worker.isStopping() || attempt.isEmpty()) {
            return;
        }
        save(decision, worker.with(WarmWorker.Status.STOPPING));
        decision.save(
                attempt.get().after(new PhaseTransition.Stop(StopCause.UNLOADED, decision.at())));
        decision.addEvent(
                Owner.BERTH,
                worker.id(),
                new WorkerPayload.WorkerUnloading(worker.model(), gpuIndex(decision, worker), why));
        decision.addEffect(new Effect.Stop(worker.id()));
    }

    /** A call has ended, and its worker is free for the next. */
    static void callEnded(Decision decision, AttemptId call, Optional<Duration> answeredAfter) {
        var state = decision.state().sinceStart().workers();
        var worker =
                state.all().filter(one -> one.call().filter(call::equals).isPresent()).findFirst();
        if (worker.isEmpty()) {
            return;
        }
        var free = worker.get().withoutCall(decision.at());
        save(decision, free);
        answeredAfter.ifPresent(
                time -> change(decision, free.model(), record -> record.answered(time)));
        if (state.outdated().contains(free.id())) {
            stop(decision, free, "it is not to be used any more");
        }
    }

    /** Ends all of these workers; one at work ends after its task. */
    static void retire(Decision decision, Predicate<WarmWorker> isMeant, String why) {
        var all = decision.state().sinceStart().workers().all().filter(isMeant).toList();
        for (var worker : all) {
            if (worker.call().isEmpty()) {
                stop(decision, worker, why);
            } else {
                change(decision, state -> state.withOutdated(worker.id()));
            }
        }
    }

    /** Berth cannot observe or end it: it gets no more tasks. */
    static void lost(Decision decision, AttemptId id) {
        decision.state()
                .sinceStart()
                .workers()
                .workers()
                .get(id)
                .filter(worker -> !worker.isStopping())
                .ifPresent(worker -> save(decision, worker.with(WarmWorker.Status.STOPPING)));
    }

    static int gpuIndex(Decision decision, WarmWorker worker) {
        return decision.state().gpus().get(worker.gpu()).orElseThrow().gpu().index();
    }

    static void save(Decision decision, WarmWorker worker) {
        change(decision, state -> state.with(worker));
    }

    static void change(Decision decision, String model, UnaryOperator<ModelRecord> to) {
        change(decision, state -> state.with(model, to.apply(state.model(model))));
    }

    static void change(Decision decision, UnaryOperator<WorkerState> to) {
        var watch = decision.state().sinceStart();
        decision.setState(decision.state().with(watch.with(to.apply(watch.workers()))));
    }

    /** The GPU can be used again. */
    static void dropFault(Decision decision, GpuId gpu) {
        decision.state()
                .durable()
                .faults()
                .get(gpu)
                .filter(fault -> fault.kind() == GpuFault.Kind.WORKER)
                .ifPresent(_ -> decision.save(new Change.FaultDropped(gpu)));
    }
}
