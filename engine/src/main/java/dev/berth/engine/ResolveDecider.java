package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.Phase;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.Fact;
import dev.berth.port.event.AttemptPayload;

import java.util.List;

/** Carries out what a person decides about a lost or stuck attempt. */
final class ResolveDecider {

    private ResolveDecider() {}

    static EngineReply decide(
            Decision decision,
            EngineCommand.Resolve resolve,
            SchedulingRules rules,
            AttemptSettings settings) {
        var found = decision.state().attempts().get(resolve.attempt());
        if (found.isEmpty() || !ContactDecider.isLostOrStuck(found.get().phase())) {
            return new EngineReply.Refused(
                    Rejected.conflict("resolve.in_contact").with("task", resolve.attempt().task()));
        }
        var attempt = found.get();
        if (resolve.as() instanceof Resolution.Running && attempt.phase() instanceof Phase.Stuck) {
            return new EngineReply.Refused(
                    Rejected.conflict("resolve.stuck").with("task", attempt.id().task()));
        }
        decision.addEvent(
                resolve.actor(),
                attempt.id(),
                new AttemptPayload.AttemptResolved(
                        resolve.as().apiName(), resolve.isForced(), resolve.as().pid()));
        if (attempt.isWorker() && !(resolve.as() instanceof Resolution.Running)) {
            new WorkerFactDecider(decision, rules, settings).ended(attempt, fact(attempt, resolve));
            decision.addEffect(new Effect.Forget(attempt.id()));
            return new EngineReply.TaskAccepted(attempt.id().task(), false);
        }
        switch (resolve.as()) {
            case Resolution.Running(var process) ->
                    decision.addEffect(new Effect.Watch(attempt.id(), process));
            case Resolution.Ended _ ->
                    end(decision, attempt, resolve, ended(decision, attempt, resolve), rules);
            case Resolution.Requeue _ ->
                    end(
                            decision,
                            attempt,
                            resolve,
                            new TaskTransition.Requeue(decision.at()),
                            rules);
        }
        return new EngineReply.TaskAccepted(attempt.id().task(), false);
    }

    /** A retry would be a second decision, so there is none. */
    private static TaskTransition ended(
            Decision decision, Attempt attempt, EngineCommand.Resolve resolve) {
        boolean isCancelled =
                attempt.phase()
                        .stopCause()
                        .filter(cause -> cause == StopCause.CANCELLED)
                        .isPresent();
        return isCancelled
                ? new TaskTransition.Cancel(decision.at())
                : new TaskTransition.Fail(decision.at(), ending(resolve).error());
    }

    private static Ending ending(EngineCommand.Resolve resolve) {
        return new Ending.Vanished(
                ErrorSentence.RESOLVED.text(resolve.actor().name(), resolve.as().apiName()));
    }

    private static void end(
            Decision decision,
            Attempt attempt,
            EngineCommand.Resolve resolve,
            TaskTransition move,
            SchedulingRules rules) {
        new AttemptEndDecider(decision, attempt, fact(attempt, resolve)).resolve(move, rules);
        decision.addEffect(new Effect.Forget(attempt.id()));
    }

    /** Whether it is off its GPUs is for a reading to show. */
    private static Fact.Ended fact(Attempt attempt, EngineCommand.Resolve resolve) {
        return new Fact.Ended(
                attempt.id(), ending(resolve), List.of(), false, AttemptFindings.NONE);
    }
}
