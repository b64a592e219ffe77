package dev.berth.engine.recover;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskState;
import dev.berth.port.recover.AttemptRecord;
import dev.berth.port.recover.AttemptRecord.Outcome;
import dev.berth.port.recover.LivingAttempt;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** An attempt that the database does not know, or knows as running although it has ended. */
record RestoredAttempt(AttemptRecord record, Optional<LivingAttempt> living) {

    boolean isLiving() {
        return living.isPresent();
    }

    boolean isUnstarted() {
        return !isLiving() && record.outcome() instanceof Outcome.NotStarted;
    }

    private Instant at() {
        return record.changedAt().truncatedTo(ChronoUnit.MICROS);
    }

    private Ending ending() {
        return switch (record.outcome()) {
            case Outcome.Exited(int code) -> new Ending.Exited(code);
            case Outcome.Started _ -> new Ending.Vanished();
            case Outcome.NotStarted _ -> new Ending.NeverStarted();
        };
    }

    /** As it is stored; empty if its directory does not describe it. */
    Optional<Attempt> attempt() {
        return record.description()
                .map(AttemptRecord.Description::attempt)
                .map(attempt -> isLiving() ? running(attempt) : end(attempt));
    }

    /** The server adopts it at its start and finds out the rest. */
    private Attempt running(Attempt attempt) {
        var recorded =
                record.outcome() instanceof Outcome.Started(var shim)
                        ? shim
                        : Optional.<ProcessKey>empty();
        var shim = living.flatMap(LivingAttempt::shim).or(() -> recorded);
        return shim.isEmpty()
                ? attempt.after(
                        new PhaseTransition.LoseContact(ErrorSentence.LOST_AT_RECOVERY.text()))
                : attempt.after(
                        new PhaseTransition.SeenAlive(
                                new ShimProcess(shim.get(), attempt.scheduledAt())));
    }

    Attempt end(Attempt attempt) {
        return attempt.phase() instanceof Phase.Ended
                ? attempt
                : attempt.after(new PhaseTransition.End(ending(), at()));
    }

    TaskState taskState() {
        if (isLiving()) {
            return new TaskState.Running(record.id().number());
        }
        return switch (record.outcome()) {
            case Outcome.Exited(int code) ->
                    code == 0
                            ? new TaskState.Completed(at())
                            : new TaskState.Failed(at(), ending().error());
            case Outcome.Started _ -> new TaskState.Failed(at(), ending().error());
            case Outcome.NotStarted _ -> new TaskState.Queued();
        };
    }

    String describe(String name) {
        var what =
                isLiving()
                        ? "runs (pid "
                                + living.orElseThrow().pids().getFirst()
                                + ") and is kept running"
                        : switch (record.outcome()) {
                            case Outcome.Exited(int code) ->
                                    "ended with exit code " + code + "; recorded";
                            case Outcome.Started _ ->
                                    "ended without an exit code; recorded as failed";
                            case Outcome.NotStarted _ -> "never started; it waits in the queue";
                        };
        return "Task %s (%s), attempt %d: %s."
                .formatted(record.id().task(), name, record.id().number(), what);
    }
}
