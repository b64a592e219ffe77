package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.port.Change;
import dev.berth.port.Fact;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.GpuAlert;
import dev.berth.port.event.GpuAlert.GpuRef;

import java.util.List;
import java.util.Optional;

/** Quarantines GPUs and returns them to use. */
final class GpuFaultDecider {

    private GpuFaultDecider() {}

    /**
     * Raises one alert per fault; only a worse fault raises another. A GPU that waits for a person
     * is not tested again by itself.
     */
    static void reportFault(Decision decision, GpuId card, GpuFault.Kind kind, String why) {
        var state = decision.state().gpus().get(card);
        var known = decision.state().durable().faults().get(card);
        boolean isNews =
                known.isEmpty()
                        || (kind.stopsRunningTasks() && !known.get().kind().stopsRunningTasks());
        if (state.isEmpty() || !isNews) {
            return;
        }
        boolean isAwaited = known.filter(one -> one.stage() == GpuFault.Stage.OUT).isPresent();
        boolean isRelapse =
                decision.state().sinceStart().gpuSuspicions().isRelapse(card, decision.at());
        var stage = isAwaited || isRelapse ? GpuFault.Stage.OUT : GpuFault.Stage.TESTING;
        quarantine(decision, new GpuFault(card, kind, why, decision.at(), stage));
        decision.addEvent(new GpuAlert.GpuFailed(GpuRef.of(state.get().gpu()), kind, why));
        if (isRelapse && !isAwaited) {
            alertUnrecoverable(
                    decision, state.get().gpu(), "it failed again soon after it had come back");
        }
        if (kind.stopsRunningTasks()) {
            stopAttempts(decision, card);
        }
        testIfUnclaimed(decision, card);
    }

    /** A test must not disturb tasks: it starts once the last attempt on the GPU has ended. */
    private static void testIfUnclaimed(Decision decision, GpuId card) {
        boolean isTested =
                decision.state()
                        .durable()
                        .faults()
                        .get(card)
                        .filter(fault -> fault.stage() == GpuFault.Stage.TESTING)
                        .isPresent();
        if (isTested && !decision.state().holds().contains(card)) {
            decision.addEffect(new Effect.TestGpu(card));
        }
    }

    /** An attempt has released its GPUs. */
    static void attemptLeft(Decision decision, Attempt attempt) {
        attempt.claims().forEach(claim -> testIfUnclaimed(decision, claim.gpu()));
    }

    private static void quarantine(Decision decision, GpuFault fault) {
        decision.save(new Change.FaultSaved(fault));
        WorkerDecider.retire(decision, worker -> worker.gpu().equals(fault.gpu()), fault.reason());
        var watch = decision.state().sinceStart();
        decision.setState(
                decision.state().with(watch.with(watch.gpuReleases().withoutModels(fault.gpu()))));
    }

    private static void alertUnrecoverable(Decision decision, Gpu card, String why) {
        decision.addEvent(new GpuAlert.GpuUnrecoverable(GpuRef.of(card), why));
    }

    /** Stops the attempts on a GPU whose results cannot be trusted; they fail with that cause. */
    private static void stopAttempts(Decision decision, GpuId card) {
        for (var hold : decision.state().holds().get(card).orElse(List.of())) {
            var attempt = decision.state().attempts().get(hold.attempt()).orElseThrow();
            if (attempt.phase() instanceof Phase.Starting
                    || attempt.phase() instanceof Phase.Running) {
                decision.save(
                        attempt.after(
                                new PhaseTransition.Stop(StopCause.CARD_FAILED, decision.at())));
                decision.addEvent(
                        Owner.BERTH,
                        attempt.id(),
                        new AttemptPayload.AttemptStopping(StopCause.CARD_FAILED));
                decision.addEffect(new Effect.Stop(attempt.id()));
            }
        }
    }

    /** An overheated GPU cools down by itself, so it is tested until it passes. */
    static void testEnded(Decision decision, Fact.GpuTested fact) {
        var fault =
                decision.state()
                        .durable()
                        .faults()
                        .get(fact.gpu())
                        .filter(one -> one.stage() == GpuFault.Stage.TESTING);
        if (fault.isEmpty()) {
            return;
        }
        var card = decision.state().gpus().get(fact.gpu()).orElseThrow().gpu();
        if (fact.failure().isEmpty()) {
            decision.save(new Change.FaultDropped(fact.gpu()));
            var doubts =
                    decision.state()
                            .sinceStart()
                            .gpuSuspicions()
                            .recovered(fact.gpu(), decision.at());
            save(decision, doubts);
            decision.addEvent(new GpuAlert.GpuReturned(GpuRef.of(card)));
        } else if (fault.get().kind() == GpuFault.Kind.HOT) {
            testIfUnclaimed(decision, fact.gpu());
        } else {
            decision.save(new Change.FaultSaved(fault.get().with(GpuFault.Stage.OUT)));
            alertUnrecoverable(decision, card, fact.failure().get());
        }
    }

    /** Manual quarantine. Running attempts may finish. */
    static EngineReply decide(Decision decision, EngineCommand.QuarantineGpu command) {
        var card = decision.state().gpuAt(command.gpuIndex()).map(GpuState::gpu);
        if (card.isEmpty()) {
            return unknown(command.gpuIndex());
        }
        if (decision.state().durable().faults().contains(card.get().id())) {
            return new EngineReply.Refused(
                    Rejected.conflict("card.out_already").with("gpu", command.gpuIndex()));
        }
        quarantine(
                decision,
                new GpuFault(
                        card.get().id(),
                        GpuFault.Kind.PERSON,
                        command.reason(),
                        decision.at(),
                        GpuFault.Stage.OUT));
        decision.addEvent(
                command.actor(),
                new GpuAlert.GpuQuarantined(GpuRef.of(card.get()), command.reason()));
        return new EngineReply.Done();
    }

    /** Manual recovery, with or without a test. */
    static EngineReply decide(Decision decision, EngineCommand.RecoverGpu command) {
        var card = decision.state().gpuAt(command.gpuIndex()).map(GpuState::gpu);
        if (card.isEmpty()) {
            return unknown(command.gpuIndex());
        }
        var id = card.get().id();
        var fault = decision.state().durable().faults().get(id);
        if (fault.isEmpty()) {
            return new EngineReply.Refused(
                    Rejected.conflict("card.not_out").with("gpu", command.gpuIndex()));
        }
        if (command.isForced()) {
            decision.save(new Change.FaultDropped(id));
            decision.addEvent(command.actor(), new GpuAlert.GpuHandedBack(GpuRef.of(card.get())));
        } else {
            decision.save(new Change.FaultSaved(fault.get().with(GpuFault.Stage.TESTING)));
            testIfUnclaimed(decision, id);
        }
        return new EngineReply.Done();
    }

    private static EngineReply unknown(int index) {
        return new EngineReply.Refused(Rejected.notFound("card.unknown").with("gpu", index));
    }

    /** Counts failures on a single GPU that look like a GPU fault. */
    static void attemptFailed(
            Decision decision, Task task, Attempt attempt, Optional<Diagnosis> diagnosis) {
        if (attempt.claims().size() != 1
                || diagnosis.filter(one -> one.cause().isGpuFailure()).isEmpty()) {
            return;
        }
        var card = attempt.claims().getFirst().gpu();
        var sign =
                new GpuSuspicions.SuspectFailure(task.spec().script().commandHash(), decision.at());
        var doubts = decision.state().sinceStart().gpuSuspicions().with(card, sign);
        save(decision, doubts);
        if (doubts.isFaultLikely(card)) {
            reportFault(
                    decision,
                    card,
                    GpuFault.Kind.FAILURES,
                    "different tasks failed on it like on a broken card: "
                            + diagnosis.get().line());
        }
    }

    /** A success clears the suspicion. */
    static void attemptSucceeded(Decision decision, Attempt attempt) {
        var doubts = decision.state().sinceStart().gpuSuspicions();
        for (var claim : attempt.claims()) {
            doubts = doubts.withoutFailures(claim.gpu());
        }
        save(decision, doubts);
    }

    private static void save(Decision decision, GpuSuspicions doubts) {
        decision.setState(decision.state().with(decision.state().sinceStart().with(doubts)));
    }
}
