package dev.berth.engine;

import static java.util.Comparator.naturalOrder;

import dev.berth.core.Rejected;
import dev.berth.core.access.Via;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.port.Change;
import dev.berth.port.EngineMeter;
import dev.berth.port.event.AccessPayload;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides a batch of commands and runs one scheduling pass. {@link #step} is a function of its
 * arguments: it keeps nothing between two calls and reads neither clock nor store nor node.
 */
final class Stepper {

    private static final Duration PURGE_EVERY = Duration.ofMinutes(10);

    private final TaskStarter.NodeSession place;
    private final QueueLimits limits;
    private final LongWaits longWaits;
    private final EngineMeter meter;

    /**
     * @param meter times scheduling passes; it has no influence on them
     */
    Stepper(QueueSettings queueing, TaskStarter.NodeSession place, EngineMeter meter) {
        this.place = place;
        this.limits = new QueueLimits(queueing.maxWaitingPerUser(), queueing.maxTaskBytes());
        this.longWaits = new LongWaits(queueing.longWaitLimit());
        this.meter = meter;
    }

    /** The state of a server that has just loaded its store. */
    StepState initial(EngineState loaded, Planner planner, AttemptSettings tuning) {
        return StepState.initial(loaded, deciders(planner, tuning, loaded));
    }

    LongWaits longWaits() {
        return longWaits;
    }

    /**
     * Decides the commands one after the other, each on the result of those before it, then runs a
     * scheduling pass on the result of all.
     */
    Step step(StepState from, List<EngineCommand> batch, Instant at) {
        var step = new StepBuilder(from);
        for (var command : batch) {
            step.reply(decide(step, command));
        }
        schedule(step, at);
        if (step.changes().stream().anyMatch(Stepper::changesRules)) {
            var current = step.nextDeciders();
            step.use(
                    deciders(current.configuredPlanner(), current.attemptSettings(), step.state()));
        }
        return step.build(step.hasNewDeciders() ? at : due(step, at));
    }

    /** Whether the deciders depend on it. */
    private static boolean changesRules(Change change) {
        return change instanceof Change.EstimateSaved
                || change instanceof Change.ModelSaved
                || change instanceof Change.ModelRemoved;
    }

    /** A refused or failed command changes nothing. */
    private EngineReply decide(StepBuilder step, EngineCommand command) {
        if (command instanceof EngineCommand.Authenticated(var request, var via)) {
            return decide(step, request, Optional.of(via));
        }
        return decide(step, command, Optional.empty());
    }

    private EngineReply decide(StepBuilder step, EngineCommand command, Optional<Via> via) {
        var decision = new Decision(step.state(), command.at(), via);
        try {
            var reply = reply(step, decision, command);
            if (!(reply instanceof EngineReply.Refused)) {
                step.accept(decision);
            }
            return reply;
        } catch (RuntimeException defect) {
            step.failed(command.getClass().getSimpleName(), defect);
            if (command instanceof EngineCommand.Observe) {
                // A fact that was not taken in leaves the state behind reality: to start more
                // tasks would be a guess.
                step.halt("a fact could not be taken in: " + defect);
            }
            return new EngineReply.Refused(Rejected.conflict("internal").with("why", defect));
        }
    }

    private EngineReply reply(StepBuilder step, Decision decision, EngineCommand command) {
        var deciders = step.deciders();
        return switch (command) {
            case EngineCommand.Authenticated _ ->
                    throw new IllegalArgumentException("authenticated twice");
            case EngineCommand.Submit submit -> deciders.submits().decide(decision, submit);
            case EngineCommand.Cancel cancel -> CancelDecider.decide(decision, cancel);
            case EngineCommand.RemoveTasks remove -> RemovalDecider.decide(decision, remove);
            case EngineCommand.Resolve resolve ->
                    ResolveDecider.decide(
                            decision,
                            resolve,
                            deciders.planner().rules(),
                            deciders.attemptSettings());
            case EngineCommand.Enqueue enqueue -> deciders.drafts().decide(decision, enqueue);
            case EngineCommand.StartDraft start ->
                    deciders.drafts().decide(decision, start, step.pause(decision.state()));
            case EngineCommand.ChangeTask revise -> deciders.drafts().decide(decision, revise);
            case EngineCommand.SwitchScheduler schedule ->
                    SchedulerSwitchDecider.decide(decision, schedule);
            case EngineCommand.StartFileRun start -> deciders.fileRuns().decide(decision, start);
            case EngineCommand.StopFileRun stop -> deciders.fileRuns().decide(decision, stop);
            case EngineCommand.ChangeRules retune -> retune(step, decision, retune);
            case EngineCommand.QuarantineGpu take -> GpuFaultDecider.decide(decision, take);
            case EngineCommand.RecoverGpu give -> GpuFaultDecider.decide(decision, give);
            case EngineCommand.SaveModel save -> deciders.models().decide(decision, save);
            case EngineCommand.RemoveModel remove -> deciders.models().decide(decision, remove);
            case EngineCommand.LoadModel load ->
                    deciders.models().decide(decision, load, snapshot(step, decision));
            case EngineCommand.UnloadModel unload -> deciders.models().decide(decision, unload);
            case EngineCommand.ForgetRuns forget -> LearnedDecider.decide(decision, forget);
            case EngineCommand.CreateReservation create ->
                    ReservationDecider.decide(decision, create, deciders.planner().rules().pool());
            case EngineCommand.RemoveReservation remove ->
                    ReservationDecider.decide(decision, remove);
            case EngineCommand.RecordLogRead(_, var actor, var task) -> {
                decision.addEvent(actor, task, new AccessPayload.LogRead());
                yield new EngineReply.Done();
            }
            case EngineCommand.RecordFailedLogin failed -> TokenDecider.decide(decision, failed);
            case EngineCommand.CreateToken create -> TokenDecider.decide(decision, create);
            case EngineCommand.RevokeToken revoke -> TokenDecider.decide(decision, revoke);
            case EngineCommand.Observe(_, var fact) -> {
                FactDecider.decide(
                        decision, fact, deciders.planner().rules(), deciders.attemptSettings());
                yield new EngineReply.Done();
            }
            case EngineCommand.Tick(Instant at) -> {
                purge(step, decision, at);
                yield new EngineReply.Done();
            }
        };
    }

    private static Snapshot snapshot(StepBuilder step, Decision decision) {
        var state = decision.state();
        return step.deciders().starter().snapshot(state, step.pause(state), decision.at());
    }

    private EngineReply retune(
            StepBuilder step, Decision decision, EngineCommand.ChangeRules retune) {
        var written = step.deciders().configuredPlanner().with(retune.rules());
        retune.events().forEach(event -> decision.addEvent(retune.actor(), event));
        step.use(deciders(written, retune.attemptSettings(), decision.state()));
        decision.setState(decision.state().with(retune.rules().shares().weights()));
        return new EngineReply.Done();
    }

    private static void purge(StepBuilder step, Decision decision, Instant at) {
        if (!at.isBefore(step.purgeAt())) {
            step.deciders().submits().purge(decision, at);
            TokenDecider.purge(decision, at);
            step.purgeNextAt(at.plus(PURGE_EVERY));
        }
    }

    /** A pass that fails or that would break a rule starts no task. */
    private void schedule(StepBuilder step, Instant at) {
        var decision = new Decision(step.state(), at);
        Optional<TaskStarter.PassInput> idle;
        try {
            TimerDecider.decide(decision);
            ReservationDecider.endOver(decision);
            LaunchFaultDecider.timers(decision, place.node());
            longWaits.decide(decision);
            idle =
                    step.deciders()
                            .starter()
                            .pass(decision, step.pause(decision.state()), step.idlePass(), meter);
        } catch (RuntimeException defect) {
            step.failed("the scheduling pass", defect);
            return;
        }
        var broken = Invariants.firstBroken(decision.state());
        if (broken.isPresent()) {
            step.halt(broken.get());
            return;
        }
        step.accept(decision);
        step.passed(idle);
    }

    private static Instant due(StepBuilder step, Instant at) {
        var state = step.state();
        return Stream.of(
                        Optional.of(state.sinceStart().longWaitCheck().nextCheckAt()),
                        TimerDecider.due(state),
                        ReservationDecider.due(state, at).min(naturalOrder()),
                        step.deciders().starter().nextRunDelayEnd(state, at),
                        step.deciders().starter().nextWorkerTime(state, at),
                        state.sinceStart().launchFaults().due(at).min(naturalOrder()))
                .flatMap(Optional::stream)
                .min(naturalOrder())
                .orElseThrow();
    }

    private Deciders deciders(Planner written, AttemptSettings tuning, EngineState state) {
        return Deciders.of(written, tuning, state.durable(), limits, place);
    }
}
