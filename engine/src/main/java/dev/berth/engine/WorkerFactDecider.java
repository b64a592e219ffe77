package dev.berth.engine;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.id.AttemptId;
import dev.berth.core.model.Model;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Owner;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskTransition;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.port.Change;
import dev.berth.port.Fact;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.WorkerPayload;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Decides what facts about workers and their calls mean. */
final class WorkerFactDecider {

    private static final String OFFLINE = ErrorSentence.WORKER_OFFLINE.text();

    private final Decision decision;
    private final SchedulingRules rules;
    private final AttemptSettings settings;

    WorkerFactDecider(Decision decision, SchedulingRules rules, AttemptSettings settings) {
        this.decision = decision;
        this.rules = rules;
        this.settings = settings;
    }

    void ready(AttemptId id, Duration loadTime) {
        var worker = worker(id).filter(one -> one.status() == WarmWorker.Status.LOADING);
        if (worker.isEmpty()) {
            return;
        }
        WorkerDecider.save(decision, worker.get().with(WarmWorker.Status.READY));
        WorkerDecider.change(decision, worker.get().model(), record -> record.loaded(loadTime));
        decision.addEvent(
                Owner.BERTH,
                id,
                new WorkerPayload.WorkerReady(
                        worker.get().model(),
                        WorkerDecider.gpuIndex(decision, worker.get()),
                        loadTime));
        WorkerDecider.dropFault(decision, worker.get().gpu());
    }

    /** The worker is ended; its call fails when no process of it is left. */
    void failed(Fact.WorkerFailed fact) {
        var found = worker(fact.worker());
        if (found.isEmpty()) {
            return;
        }
        var worker = found.get();
        if (fact.fault() == Fact.WorkerFault.SILENT && !worker.isStopping()) {
            decision.addEvent(
                    new NodeAlert.WorkerOffline(
                            worker.model(), WorkerDecider.gpuIndex(decision, worker), fact.why()));
            takeGpuOut(worker, fact.why());
        }
        WorkerDecider.change(decision, state -> state.withFailure(worker.id(), describe(fact)));
        WorkerDecider.stop(decision, worker, fact.why());
    }

    private static String describe(Fact.WorkerFailed fact) {
        return fact.fault() == Fact.WorkerFault.SILENT ? OFFLINE : fact.why();
    }

    /** Until another worker on it is ready, or has ended. */
    private void takeGpuOut(WarmWorker worker, String why) {
        if (!decision.state().durable().faults().contains(worker.gpu())) {
            decision.save(
                    new Change.FaultSaved(
                            new GpuFault(
                                    worker.gpu(),
                                    GpuFault.Kind.WORKER,
                                    why,
                                    decision.at(),
                                    GpuFault.Stage.OUT)));
        }
    }

    /** A worker answered, or the call was never sent to it. */
    void callEnded(Fact.CallEnded fact) {
        var attempt = decision.state().attempts().get(fact.attempt()).filter(Attempt::isCall);
        if (attempt.isEmpty()) {
            // A stop may have reported its end before. Only now is its worker free.
            WorkerDecider.callEnded(decision, fact.attempt(), Optional.empty());
            return;
        }
        fact.start().ifPresent(process -> FactDecider.started(decision, fact.attempt(), process));
        fact.result()
                .ifPresent(
                        value ->
                                decision.save(
                                        new Change.ResultSaved(fact.attempt().task(), value)));
        var call = decision.state().attempts().get(fact.attempt()).orElseThrow();
        var findings = new AttemptFindings(Optional.empty(), fact.consumption());
        endCall(call, fact.ending(), findings);
        WorkerDecider.callEnded(decision, call.id(), answeredAfter(call, fact.ending()));
    }

    /** Empty if it did not answer, because the call was withdrawn. */
    private Optional<Duration> answeredAfter(Attempt call, Ending ending) {
        boolean isAnswer = ending instanceof Ending.Exited || ending instanceof Ending.CallFailed;
        return call.phase()
                .shimProcess()
                .filter(_ -> isAnswer)
                .map(process -> Duration.between(process.startedAt(), decision.at()));
    }

    private void endCall(Attempt call, Ending ending, AttemptFindings findings) {
        var ended =
                new Fact.Ended(
                        call.id(), ending, List.of(), true, withMemoryCause(ending, findings));
        new AttemptEndDecider(decision, call, ended).decide(rules, settings);
    }

    private static AttemptFindings withMemoryCause(Ending ending, AttemptFindings findings) {
        return ending instanceof Ending.CallFailed(String type, String message)
                        && type.equalsIgnoreCase("oom")
                ? new AttemptFindings(
                        Optional.of(new Diagnosis(Cause.OOM, message)), findings.consumption())
                : findings;
    }

    /** No process of the worker is left. */
    void ended(Attempt attempt, Fact.Ended fact) {
        var task = decision.state().tasks().get(attempt.id().task()).orElseThrow();
        var worker = worker(attempt.id());
        boolean wasStopped = attempt.phase().stopCause().isPresent();
        var failure = failure(attempt, fact, wasStopped);
        decision.save(
                attempt.after(new PhaseTransition.End(fact.ending(), decision.at()))
                        .with(wasStopped ? fact.findings().withoutDiagnosis() : fact.findings()));
        ContactDecider.ended(decision, attempt);
        decision.save(
                task.after(
                        failure.isEmpty()
                                ? new TaskTransition.Complete(decision.at())
                                : new TaskTransition.Fail(decision.at(), failure.get())));
        var watch = decision.state().sinceStart();
        var releases = watch.gpuReleases().released(attempt, decision.at(), fact.hasLeftGpus());
        decision.setState(decision.state().with(watch.with(releases)));
        var shown = failure.map(why -> shownToUsers(task, why));
        endCalls(attempt.id(), fact, shown.orElse(ErrorSentence.WORKER_UNLOADED.text()));
        WorkerDecider.change(decision, state -> state.without(attempt.id()));
        worker.ifPresent(one -> gone(one, fact, shown));
    }

    /**
     * A reason may quote what the worker printed. A worker of all users may have printed that about
     * another user's task, so it is only in the task of the worker, which admins see.
     */
    private String shownToUsers(Task worker, String why) {
        var models = new Models(settings.models(), decision.state().durable().models());
        boolean isOfAllUsers =
                worker.spec()
                        .requirements()
                        .work()
                        .flatMap(ModelWork::model)
                        .flatMap(models::find)
                        .map(Model::access)
                        .filter(access -> access.owner().isEmpty() && access.runAs().isPresent())
                        .isPresent();
        return isOfAllUsers && !why.equals(OFFLINE) ? ErrorSentence.WORKER_ENDED.text() : why;
    }

    /** Why it ended; empty if Berth ended a worker that worked. */
    private Optional<String> failure(Attempt attempt, Fact.Ended fact, boolean wasStopped) {
        var known = decision.state().sinceStart().workers().failures().get(attempt.id());
        if (known.isPresent() || wasStopped) {
            return known;
        }
        var error = fact.ending().error();
        var how = error.isEmpty() ? ErrorSentence.WORKER_ENDED.text() : error;
        return fact.findings()
                .diagnosis()
                .map(found -> how + ": " + found.line())
                .or(() -> Optional.of(how));
    }

    /** What it ran ends with it. If it was never started, its call goes back to the queue. */
    private void endCalls(AttemptId worker, Fact.Ended fact, String why) {
        for (var call : callsOf(worker)) {
            var ending =
                    fact.ending().isAsIfNeverStarted()
                            ? fact.ending()
                            : new Ending.CallFailed(
                                    Ending.CallFailed.WORKER_OFFLINE,
                                    why.equals(OFFLINE)
                                            ? why
                                            : ErrorSentence.WORKER_OFFLINE_BECAUSE.text(why));
            endCall(call, ending, AttemptFindings.NONE);
            WorkerDecider.callEnded(decision, call.id(), Optional.empty());
        }
    }

    private List<Attempt> callsOf(AttemptId worker) {
        return decision.state()
                .attempts()
                .values()
                .filter(one -> one.isCall() && one.worker().filter(worker::equals).isPresent())
                .toList();
    }

    private void gone(WarmWorker worker, Fact.Ended fact, Optional<String> failure) {
        int gpu = WorkerDecider.gpuIndex(decision, worker);
        decision.addEvent(
                Owner.BERTH,
                worker.id(),
                new WorkerPayload.WorkerEnded(worker.model(), gpu, failure.orElse("")));
        boolean wasSilent = failure.filter(OFFLINE::equals).isPresent();
        if (!wasSilent) {
            WorkerDecider.dropFault(decision, worker.gpu());
        }
        if (failure.isEmpty() || fact.ending().isAsIfNeverStarted()) {
            return;
        }
        var before = decision.state().sinceStart().workers().model(worker.model());
        var after = before.failed(worker.id().task(), failure.get(), decision.at());
        WorkerDecider.change(decision, state -> state.with(worker.model(), after));
        if (after.setAside().isPresent()) {
            WorkerDecider.dropFault(decision, worker.gpu());
            if (before.setAside().isEmpty()) {
                decision.addEvent(new NodeAlert.ModelSetAside(worker.model(), failure.get()));
            }
        } else if (wasSilent) {
            WorkerDecider.change(decision, state -> state.withPrewarm(worker.model(), true));
        }
    }

    private Optional<WarmWorker> worker(AttemptId id) {
        return decision.state().sinceStart().workers().workers().get(id);
    }
}
