package dev.berth.engine;

import dev.berth.core.plan.GpuCapacity;
import dev.berth.core.plan.MemoryEstimates;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.port.Change;
import dev.berth.port.event.TaskPayload;

import java.util.Comparator;
import java.util.Optional;

/** Rules for tasks that ran out of GPU memory. */
final class OutOfMemory {

    static final String ERROR = ErrorSentence.OUT_OF_MEMORY.text();

    /** The error type by which a script reports it. */
    private static final String ERROR_TYPE = "oom";

    private OutOfMemory() {}

    /** The report of the script decides; without one, the log of a failed attempt. */
    static boolean isCauseOf(Attempt attempt, Ending ending, AttemptFindings findings) {
        var report = attempt.scriptReport();
        if (report.filter(one -> one.isSuccess() || one.errorType().isPresent()).isPresent()) {
            return report.flatMap(ScriptReport::errorType)
                    .filter(ERROR_TYPE::equalsIgnoreCase)
                    .isPresent();
        }
        boolean isWell = ending instanceof Ending.Exited(int code) && code == 0;
        return !isWell && findings.diagnosis().filter(one -> one.cause() == Cause.OOM).isPresent();
    }

    /** Raises the estimate for the next task with this model. */
    static void raiseEstimate(Decision decision, Task task, MemoryEstimates estimates) {
        var work = task.spec().requirements().work();
        var model = work.flatMap(ModelWork::model);
        if (model.isEmpty()) {
            return;
        }
        long now = estimates.modelMibOf(work.get());
        var most = GpuCapacity.maxMib(decision.state().gpus(), task.spec().requirements().need());
        long raised =
                most.isEmpty()
                        ? MemoryEstimates.increased(now)
                        : Math.min(
                                MemoryEstimates.increased(now),
                                Math.max(now, estimates.maxModelMib(work.get(), most.getAsLong())));
        if (raised > now) {
            decision.save(new Change.EstimateSaved(model.get(), raised));
            decision.addEvent(
                    Owner.BERTH,
                    task.id(),
                    new TaskPayload.EstimateRaised(model.get(), now, raised));
        }
    }

    /** The specification for the retry: more memory than before, if a GPU has that much. */
    static Optional<TaskSpec> withMoreMemory(EngineState state, TaskSpec spec, Attempt attempt) {
        if (!(spec.requirements().need() instanceof Need.Gpus need)) {
            return Optional.empty();
        }
        var stated = need.memory().mib();
        var wanted =
                isOnCluster(attempt, need)
                        ? moreThanOwnGpus(state, attempt)
                        : stated.stream().map(MemoryEstimates::increased).boxed().findFirst();
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        long now = stated.orElse(0);
        long most = GpuCapacity.maxMib(state.gpus(), need).orElse(now);
        // A cluster has the next larger type or none; on one machine GPUs may be shared.
        long raised =
                isOnCluster(attempt, need) && wanted.get() > most
                        ? now
                        : Math.min(wanted.get(), most);
        return raised > now
                ? Optional.of(spec.with(need.with(need.memory().with(raised))))
                : Optional.empty();
    }

    /** A cluster divides the GPUs itself: claims there are not exclusive without sharing. */
    private static boolean isOnCluster(Attempt attempt, Need.Gpus need) {
        return !need.memory().isShared()
                && attempt.claims().stream().noneMatch(Claim::isExclusive)
                && !attempt.claims().isEmpty();
    }

    /** The attempt had its GPUs alone, so only GPUs with more memory help. */
    private static Optional<Long> moreThanOwnGpus(EngineState state, Attempt attempt) {
        return attempt.claims().stream()
                .flatMap(claim -> state.gpus().get(claim.gpu()).stream())
                .map(gpu -> gpu.gpu().totalMib())
                .filter(mib -> mib > 0)
                .max(Comparator.naturalOrder())
                .map(mib -> mib + 1);
    }
}
