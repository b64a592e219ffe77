package dev.berth.engine;

import dev.berth.core.diagnosis.Cause;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.line.Usage;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Findings;
import dev.berth.core.task.Owner;
import dev.berth.core.task.PhaseMove;
import dev.berth.core.task.Said;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskMove;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Draws the conclusions from an attempt's end: for its task, its owner, its model and its cards.
 */
final class Concluding {

    private final Draft draft;
    private final Attempt attempt;
    private final Task task;
    private final Fact.Ended fact;

    /**
     * @param attempt as it was before it ended
     */
    Concluding(Draft draft, Attempt attempt, Fact.Ended fact) {
        this.draft = draft;
        this.attempt = attempt;
        this.task = draft.state().tasks().get(attempt.id().task()).orElseThrow();
        this.fact = fact;
    }

    void decide(Rules rules, Tuning tuning) {
        var verdict = verdict();
        var findings = findings(verdict);
        draft.save(attempt.after(new PhaseMove.End(fact.ending(), draft.at())).with(findings));
        draft.happened(Event.Kind.ATTEMPT_ENDED, Owner.BERTH, attempt.id(), endData(findings));
        var left = leftData();
        if (!left.isEmpty()) {
            draft.happened(Event.Kind.ALERT_PROCESSES_LEFT, Owner.BERTH, attempt.id(), left);
        }
        boolean isOom = isOom(verdict);
        if (isOom) {
            OutOfMemory.raiseEstimate(draft, task, rules.estimates());
        }
        finish(retried(verdict, tuning), isOom);
        release();
        if (!(fact.ending() instanceof Ending.NeverStarted)) {
            charge();
            modelUsed(draft, task, attempt, rules.models());
        }
        judgeCards(verdict);
        Faults.left(draft, attempt);
    }

    /** Of what was ended on purpose its log does not say why it ended; but Berth knows. */
    private Findings findings(TaskMove verdict) {
        var cause = attempt.phase().stopCause();
        if (cause.isPresent()
                && cause.get() == StopCause.CARD_FAILED
                && verdict instanceof TaskMove.Fail(_, String error)) {
            var diagnosis = new Diagnosis(Cause.GPU_HARDWARE, error);
            return new Findings(Optional.of(diagnosis), fact.findings().consumption());
        }
        return isCancelled() ? fact.findings().withoutDiagnosis() : fact.findings();
    }

    private void judgeCards(TaskMove verdict) {
        switch (verdict) {
            case TaskMove.Complete _ -> Faults.worked(draft, attempt);
            case TaskMove.Fail _ ->
                    Faults.failed(draft, task, attempt, fact.findings().diagnosis());
            case TaskMove.Requeue _,
                    TaskMove.Retry _,
                    TaskMove.Cancel _,
                    TaskMove.Enqueue _,
                    TaskMove.Start _ -> {}
        }
    }

    private boolean isCancelled() {
        return attempt.phase().stopCause().filter(one -> one == StopCause.CANCELLED).isPresent();
    }

    private static boolean isOom(TaskMove verdict) {
        return verdict instanceof TaskMove.Fail(_, String error) && error.equals(OutOfMemory.ERROR);
    }

    private void release() {
        var before = draft.state().watch();
        var watch = before.withPaces(before.paces().without(attempt.id()));
        var traffic = watch.cards().released(attempt, draft.at(), fact.isOffItsCards());
        draft.become(draft.state().with(watch.with(traffic)));
    }

    /** What it had of the cards counts for its owner. */
    private void charge() {
        var principal = task.owner().principal();
        int cards = attempt.claims().size();
        if (cards > 0) {
            // How long it ran before the machine went down, nobody knows.
            var time =
                    fact.ending() instanceof Ending.MachineRestarted
                            ? Usage.LEAST
                            : Duration.between(attempt.grantedAt(), draft.at());
            var usage = draft.state().books().usage();
            var account = usage.charged(principal, cards, time, draft.at());
            draft.save(new Change.UsageSaved(principal, account));
        }
    }

    /** Its model is on its cards, in use until now. */
    static void modelUsed(Draft draft, Task task, Attempt attempt, ModelCache models) {
        task.spec()
                .work()
                .flatMap(work -> work.model())
                .ifPresent(
                        model -> {
                            var watch = draft.state().watch();
                            var traffic = watch.cards().used(attempt, model, models, draft.at());
                            draft.become(draft.state().with(watch.with(traffic)));
                        });
    }

    private Map<String, String> endData(Findings findings) {
        var data = new TreeMap<String, String>();
        if (fact.ending() instanceof Ending.Exited(int code)) {
            data.put("exit_code", Integer.toString(code));
        } else {
            data.put("reason", fact.ending().error());
        }
        findings.diagnosis().ifPresent(one -> data.put("cause", one.cause().word()));
        if (!attempt.claims().isEmpty()) {
            data.put("gpus", draft.state().indices(attempt));
        }
        return data;
    }

    /** What was ended on purpose is no news; what a command left behind, or Berth spared, is. */
    private Map<String, String> leftData() {
        var cause = attempt.phase().stopCause();
        boolean isStopped = cause.filter(one -> one != StopCause.LEFTOVERS).isPresent();
        var data = new TreeMap<String, String>();
        for (var left : fact.leftovers()) {
            if (!left.ended() || !isStopped) {
                data.put(
                        Long.toString(left.pid()),
                        left.program() + (left.ended() ? " (ended)" : " (left running)"));
            }
        }
        return data;
    }

    private void finish(TaskMove move, boolean isOom) {
        var larger =
                isOom && move instanceof TaskMove.Retry
                        ? OutOfMemory.larger(draft.state(), task.spec())
                        : Optional.<TaskSpec>empty();
        var next = larger.map(task::with).orElse(task).after(move);
        draft.save(next);
        var kind =
                switch (move) {
                    case TaskMove.Requeue _ -> Event.Kind.TASK_REQUEUED;
                    case TaskMove.Retry _ -> Event.Kind.TASK_RETRIED;
                    case TaskMove.Complete _ -> Event.Kind.TASK_COMPLETED;
                    case TaskMove.Fail _ -> Event.Kind.TASK_FAILED;
                    case TaskMove.Cancel _ -> Event.Kind.TASK_CANCELLED;
                    case TaskMove.Enqueue _, TaskMove.Start _ ->
                            throw new IllegalStateException("an end starts nothing");
                };
        var data = new TreeMap<String, String>();
        if (move instanceof TaskMove.Retry(_, var until)) {
            data.put("retry", Integer.toString(next.retries()));
            until.ifPresent(then -> data.put("not_before", then.toString()));
            larger.map(spec -> spec.statedMib().orElseThrow())
                    .ifPresent(mib -> data.put("memory_mib", Long.toString(mib)));
        }
        draft.happened(kind, Owner.BERTH, task.id(), data);
        RunningFiles.settle(draft, task);
    }

    /** A failure is the end only of what is not tried again. */
    private TaskMove retried(TaskMove verdict, Tuning tuning) {
        boolean isRetried =
                verdict instanceof TaskMove.Fail
                        && tuning.triesAgain(task)
                        && RunningFiles.goesOn(draft.state(), task);
        return isRetried
                ? new TaskMove.Retry(
                        draft.at(), tuning.backoff().notBefore(task.retries() + 1, draft.at()))
                : verdict;
    }

    /**
     * What an attempt's end means for its task. A cancel wins over whatever the command made of the
     * signal, and what its own script said over what its shell did.
     */
    private TaskMove verdict() {
        var ending = fact.ending();
        var cause = attempt.phase().stopCause();
        if (cause.isPresent() && cause.get() == StopCause.CANCELLED) {
            return new TaskMove.Cancel(draft.at());
        }
        if (cause.isPresent()
                && cause.get() == StopCause.CARD_FAILED
                && !(ending instanceof Ending.NeverStarted)) {
            return new TaskMove.Fail(draft.at(), "GPU error: " + cardError());
        }
        if (cause.isPresent() && cause.get() == StopCause.TIMED_OUT) {
            return new TaskMove.Fail(draft.at(), timeout());
        }
        if (OutOfMemory.is(attempt, ending, fact.findings())) {
            return new TaskMove.Fail(draft.at(), OutOfMemory.ERROR);
        }
        if (attempt.said().isPresent() && !(ending instanceof Ending.NeverStarted)) {
            var said = attempt.said().get();
            return said.isWell()
                    ? new TaskMove.Complete(draft.at())
                    : new TaskMove.Fail(draft.at(), failure(said));
        }
        return switch (ending) {
            case Ending.Exited(int code) when code == 0 -> new TaskMove.Complete(draft.at());
            case Ending.NeverStarted _ -> new TaskMove.Requeue(draft.at());
            case Ending.Exited _,
                    Ending.Vanished _,
                    Ending.MachineRestarted _,
                    Ending.LaunchFailed _,
                    Ending.StartTimedOut _ ->
                    new TaskMove.Fail(draft.at(), ending.error());
        };
    }

    private static String failure(Said said) {
        return "its script reported abnormal_exit"
                + said.errorType().map(type -> " (" + type + ")").orElse("");
    }

    private String timeout() {
        return "timeout: ended after its time limit of "
                + task.spec().timeLimit().map(Duration::toSeconds).orElse(0L)
                + " s";
    }

    private String cardError() {
        for (var claim : attempt.claims()) {
            var fault =
                    draft.state()
                            .books()
                            .faults()
                            .get(claim.card())
                            .filter(one -> one.kind().endsWork());
            if (fault.isPresent()) {
                return fault.get().why();
            }
        }
        return "the card had failed for a while";
    }
}
