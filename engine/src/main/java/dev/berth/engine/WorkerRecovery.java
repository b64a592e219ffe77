package dev.berth.engine;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.id.AttemptId;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.TaskState;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.Change;
import dev.berth.port.Fact;

import java.util.List;
import java.util.Optional;

/**
 * Ends the workers of an earlier server. Nobody reads their answers any more, so what they run
 * fails when they are gone, and not before: a second copy must not run beside the first.
 */
final class WorkerRecovery {

    private static final String RESTARTED = ErrorSentence.SERVER_RESTARTED.text();

    private WorkerRecovery() {}

    static WorkerState workers(List<Attempt> attempts, EngineState state) {
        var workers = WorkerState.NONE;
        for (var attempt : attempts) {
            if (attempt.isWorker()) {
                workers = workers.with(stopping(attempt, attempts, state));
            }
        }
        return workers;
    }

    private static WarmWorker stopping(Attempt attempt, List<Attempt> attempts, EngineState state) {
        var claim = attempt.claims().getFirst();
        var model =
                state.tasks()
                        .get(attempt.id().task())
                        .flatMap(task -> task.spec().requirements().work())
                        .flatMap(ModelWork::model)
                        .orElse("");
        return new WarmWorker(
                attempt.id(),
                model,
                claim.gpu(),
                claim.memoryMib(),
                WarmWorker.Status.LEFT_OVER,
                callOf(attempt.id(), attempts),
                attempt.scheduledAt());
    }

    private static Optional<AttemptId> callOf(AttemptId worker, List<Attempt> attempts) {
        return attempts.stream()
                .filter(one -> one.isCall() && one.worker().filter(worker::equals).isPresent())
                .map(Attempt::id)
                .findFirst();
    }

    /** Decided before the node looks for them: it ends what it finds. */
    static void endAll(Decision decision, SchedulingRules rules, AttemptSettings settings) {
        for (var fault : decision.state().durable().faults()) {
            if (fault.getValue().kind() == GpuFault.Kind.WORKER) {
                decision.save(new Change.FaultDropped(fault.getKey()));
            }
        }
        for (var task : decision.state().tasks().values().toList()) {
            // A recovery of lost state may have put it back into the queue.
            if (task.spec().isWorker() && task.state() instanceof TaskState.Queued) {
                decision.save(task.after(new TaskTransition.Fail(decision.at(), RESTARTED)));
            }
        }
        for (var attempt : decision.state().attempts().values().toList()) {
            if (attempt.isWorker() && attempt.phase().stopCause().isEmpty()) {
                decision.save(
                        attempt.after(new PhaseTransition.Stop(StopCause.UNLOADED, decision.at())));
            }
            boolean isOrphan =
                    attempt.isCall()
                            && attempt.worker()
                                    .filter(decision.state().attempts()::contains)
                                    .isEmpty();
            if (isOrphan) {
                var ending =
                        new Ending.CallFailed(
                                Ending.CallFailed.WORKER_OFFLINE,
                                ErrorSentence.WORKER_OFFLINE_BECAUSE.text(RESTARTED));
                new AttemptEndDecider(
                                decision, attempt, new Fact.Ended(attempt.id(), ending, List.of()))
                        .decide(rules, settings);
            }
        }
    }
}
