package dev.berth.engine;

import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.predict.PastRun;
import dev.berth.core.predict.RunKind;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.Owner;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskTransition;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.port.Change;
import dev.berth.port.Fact;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.TaskAlert;
import dev.berth.port.event.TaskPayload;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Decides what the end of an attempt means for its task, owner, model and GPUs. */
final class AttemptEndDecider {

    private final Decision decision;
    private final Attempt attempt;
    private final Task task;
    private final Fact.Ended fact;

    /**
     * @param attempt its state before the end
     */
    AttemptEndDecider(Decision decision, Attempt attempt, Fact.Ended fact) {
        this.decision = decision;
        this.attempt = attempt;
        this.task = decision.state().tasks().get(attempt.id().task()).orElseThrow();
        this.fact = fact;
    }

    void decide(SchedulingRules rules, AttemptSettings tuning) {
        var verdict = verdict();
        if (!(verdict instanceof TaskTransition.Requeue && isMachineFault(fact.ending()))) {
            LaunchFaultDecider.ended(decision, attempt, fact.ending());
        }
        end(verdict, retried(verdict, tuning), rules);
    }

    private static boolean isMachineFault(Ending ending) {
        return ending instanceof Ending.NotLaunched || ending instanceof Ending.StartTimedOut;
    }

    /** Ends it as a person decided. */
    void resolve(TaskTransition move, SchedulingRules rules) {
        end(move, move, rules);
    }

    /**
     * @param move the verdict, or a retry instead
     */
    private void end(TaskTransition verdict, TaskTransition move, SchedulingRules rules) {
        var findings = findings(verdict);
        decision.save(
                attempt.after(new PhaseTransition.End(fact.ending(), decision.at()))
                        .with(findings));
        decision.addEvent(Owner.BERTH, attempt.id(), ended(findings));
        ContactDecider.ended(decision, attempt);
        var left = processesLeft();
        if (!left.isEmpty()) {
            decision.addEvent(Owner.BERTH, attempt.id(), new TaskAlert.ProcessesLeft(left));
        }
        boolean isOom = isOom(verdict);
        if (isOom) {
            OutOfMemory.raiseEstimate(decision, task, rules.estimates());
        }
        finish(move, isOom);
        release();
        if (!fact.ending().isAsIfNeverStarted() && !isMachineFault(fact.ending())) {
            charge();
            recordModelUse(decision, task, attempt, rules.modelCache());
            learn(verdict instanceof TaskTransition.Complete);
        }
        judgeGpus(verdict);
        GpuFaultDecider.attemptLeft(decision, attempt);
    }

    /** The log of an attempt that Berth stopped does not show the cause; Berth knows it. */
    private AttemptFindings findings(TaskTransition verdict) {
        var cause = attempt.phase().stopCause();
        if (cause.isPresent()
                && cause.get() == StopCause.CARD_FAILED
                && verdict instanceof TaskTransition.Fail(_, String error)) {
            var diagnosis = new Diagnosis(Cause.GPU_HARDWARE, error);
            return new AttemptFindings(Optional.of(diagnosis), fact.findings().consumption());
        }
        return isCancelled() ? fact.findings().withoutDiagnosis() : fact.findings();
    }

    private void judgeGpus(TaskTransition verdict) {
        switch (verdict) {
            case TaskTransition.Complete _ -> GpuFaultDecider.attemptSucceeded(decision, attempt);
            case TaskTransition.Fail _ ->
                    GpuFaultDecider.attemptFailed(
                            decision, task, attempt, fact.findings().diagnosis());
            case TaskTransition.Requeue _,
                    TaskTransition.Retry _,
                    TaskTransition.Cancel _,
                    TaskTransition.Enqueue _,
                    TaskTransition.HandOver _,
                    TaskTransition.Start _ -> {}
        }
    }

    private boolean isCancelled() {
        return attempt.phase().stopCause().filter(one -> one == StopCause.CANCELLED).isPresent();
    }

    private static boolean isOom(TaskTransition verdict) {
        return verdict instanceof TaskTransition.Fail(_, String error)
                && error.equals(OutOfMemory.ERROR);
    }

    private void release() {
        var before = decision.state().sinceStart();
        var watch = before.withProgress(before.progress().without(attempt.id()));
        var traffic = watch.gpuReleases().released(attempt, decision.at(), fact.hasLeftGpus());
        decision.setState(decision.state().with(watch.with(traffic)));
    }

    /** A run whose end was not seen tells nothing. */
    private void learn(boolean isComplete) {
        boolean isSeen = !(fact.ending() instanceof Ending.MachineRestarted);
        var start =
                attempt.isCall()
                        ? Optional.of(attempt.scheduledAt())
                        : attempt.phase().shimProcess().map(ShimProcess::startedAt);
        if (start.isEmpty() || !isSeen || task.spec().isWorker()) {
            return;
        }
        var kind = RunKind.of(task.owner(), task.spec());
        var peak = fact.findings().consumption().map(GpuConsumption::peakMib);
        var run =
                new PastRun(
                        task.id(),
                        kind.fingerprint(),
                        kind.command(),
                        decision.at(),
                        Duration.between(start.get(), decision.at()),
                        isComplete,
                        peak.map(OptionalLong::of).orElse(OptionalLong.empty()));
        var learned = decision.state().sinceStart().learned();
        decision.setState(decision.state().with(learned.with(kind, run)));
    }

    /** Charges the GPU time to the owner. */
    private void charge() {
        var principal = task.owner().principal();
        int cards = attempt.claims().size();
        if (cards > 0) {
            // Unknown: the machine went down while it ran.
            var time =
                    fact.ending() instanceof Ending.MachineRestarted
                            ? GpuUsage.MIN_CHARGE
                            : Duration.between(attempt.scheduledAt(), decision.at());
            var usage = decision.state().durable().usage();
            var account = usage.charged(principal, cards, time, decision.at());
            decision.save(new Change.UsageSaved(principal, account));
        }
    }

    /** Its model is loaded on its GPUs and was in use until now. */
    static void recordModelUse(Decision decision, Task task, Attempt attempt, ModelCache models) {
        task.spec()
                .requirements()
                .work()
                .filter(work -> !work.isCall())
                .flatMap(work -> work.model())
                .ifPresent(
                        model -> {
                            var watch = decision.state().sinceStart();
                            var traffic =
                                    watch.gpuReleases()
                                            .withModelUse(attempt, model, models, decision.at());
                            decision.setState(decision.state().with(watch.with(traffic)));
                        });
    }

    private AttemptPayload ended(AttemptFindings findings) {
        boolean hasExited = fact.ending() instanceof Ending.Exited;
        return new AttemptPayload.AttemptEnded(
                fact.ending() instanceof Ending.Exited(int code)
                        ? OptionalInt.of(code)
                        : OptionalInt.empty(),
                hasExited ? Optional.empty() : Optional.of(fact.ending().error()),
                findings.diagnosis().map(Diagnosis::cause),
                decision.state().gpuIndices(attempt));
    }

    /** Processes of a stopped attempt that Berth ended are expected and not reported. */
    private List<TaskAlert.LeftProcess> processesLeft() {
        var cause = attempt.phase().stopCause();
        boolean isStopped = cause.filter(one -> one != StopCause.LEFTOVERS).isPresent();
        return fact.leftovers().stream()
                .filter(left -> !left.wasEnded() || !isStopped)
                .map(left -> new TaskAlert.LeftProcess(left.pid(), left.program(), left.wasEnded()))
                .toList();
    }

    private void finish(TaskTransition move, boolean isOom) {
        var larger =
                isOom && move instanceof TaskTransition.Retry
                        ? OutOfMemory.withMoreMemory(decision.state(), task.spec(), attempt)
                        : Optional.<TaskSpec>empty();
        var next = larger.map(task::with).orElse(task).after(move);
        decision.save(next);
        decision.addEvent(Owner.BERTH, task.id(), payload(move, next, larger));
        FileRunDecider.endIfDone(decision, task);
    }

    /**
     * @param larger the specification with more memory, after it ran out of it
     */
    private static EventPayload payload(TaskTransition move, Task next, Optional<TaskSpec> larger) {
        return switch (move) {
            case TaskTransition.Requeue _ -> new TaskPayload.TaskRequeued();
            case TaskTransition.Retry(_, var until) ->
                    new TaskPayload.TaskRetried(
                            next.retries(),
                            until,
                            larger.map(TaskSpec::statedMemoryMib).orElse(OptionalLong.empty()));
            case TaskTransition.Complete _ -> new TaskPayload.TaskCompleted();
            case TaskTransition.Fail _ -> new TaskPayload.TaskFailed();
            case TaskTransition.Cancel _ -> new TaskPayload.TaskCancelled();
            case TaskTransition.Enqueue _, TaskTransition.HandOver _, TaskTransition.Start _ ->
                    throw new IllegalStateException("an end starts nothing");
        };
    }

    /** Turns a failure into a retry where retries are left. */
    private TaskTransition retried(TaskTransition verdict, AttemptSettings tuning) {
        boolean isRetried =
                verdict instanceof TaskTransition.Fail
                        && tuning.allowsRetry(task)
                        && FileRunDecider.mayRetry(decision.state(), task);
        return isRetried
                ? new TaskTransition.Retry(
                        decision.at(),
                        tuning.backoff().notBefore(task.retries() + 1, decision.at()))
                : verdict;
    }

    /**
     * What the end of the attempt means for its task. A cancel outranks the exit code that the
     * command gave after the signal; the script's own report outranks the exit code of its shell.
     */
    private TaskTransition verdict() {
        var ending = fact.ending();
        var cause = attempt.phase().stopCause();
        if (cause.isPresent() && cause.get() == StopCause.CANCELLED) {
            return new TaskTransition.Cancel(decision.at());
        }
        if (cause.isPresent()
                && cause.get() == StopCause.CARD_FAILED
                && !ending.isAsIfNeverStarted()) {
            return new TaskTransition.Fail(decision.at(), ErrorSentence.GPU_ERROR.text(gpuError()));
        }
        if (cause.isPresent() && cause.get() == StopCause.TIMED_OUT) {
            return new TaskTransition.Fail(decision.at(), timeout());
        }
        if (OutOfMemory.isCauseOf(attempt, ending, fact.findings())) {
            return new TaskTransition.Fail(decision.at(), OutOfMemory.ERROR);
        }
        if (attempt.scriptReport().isPresent() && !ending.isAsIfNeverStarted()) {
            var said = attempt.scriptReport().get();
            return said.isSuccess()
                    ? new TaskTransition.Complete(decision.at())
                    : new TaskTransition.Fail(decision.at(), failure(said));
        }
        return switch (ending) {
            case Ending.Exited(int code) when code == 0 ->
                    new TaskTransition.Complete(decision.at());
            case Ending.NeverStarted _, Ending.Interrupted _ ->
                    new TaskTransition.Requeue(decision.at());
            case Ending.NotLaunched(var fault) -> requeueAfter(fault);
            // In a command file it is an abnormal end, which is retried and counted.
            case Ending.StartTimedOut(String why) when task.spec().fileRunLane().isEmpty() ->
                    requeueAfter(new MachineFault(MachineFault.Kind.OTHER, why));
            case Ending.Exited _,
                    Ending.Vanished _,
                    Ending.MachineRestarted _,
                    Ending.LaunchFailed _,
                    Ending.StartTimedOut _,
                    Ending.CallFailed _ ->
                    new TaskTransition.Fail(decision.at(), ending.error());
        };
    }

    private TaskTransition requeueAfter(MachineFault fault) {
        var until = LaunchFaultDecider.faulted(decision, task, attempt, fault);
        return new TaskTransition.Requeue(decision.at(), Optional.of(until));
    }

    private static String failure(ScriptReport said) {
        return said.errorType()
                .map(ErrorSentence.SCRIPT_REPORT_TYPE::text)
                .orElseGet(ErrorSentence.SCRIPT_REPORT::text);
    }

    private String timeout() {
        return ErrorSentence.TIME_LIMIT.text(
                task.spec().options().timeLimit().map(Duration::toSeconds).orElse(0L));
    }

    private String gpuError() {
        for (var claim : attempt.claims()) {
            var fault =
                    decision.state()
                            .durable()
                            .faults()
                            .get(claim.gpu())
                            .filter(one -> one.kind().stopsRunningTasks());
            if (fault.isPresent()) {
                return fault.get().reason();
            }
        }
        return "the card had failed for a while";
    }
}
