package dev.berth.slurm;

import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.port.Fact;
import dev.berth.slurm.AttemptFiles.FileState;

import java.time.Instant;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Decides about attempts that have started and have left no exit record. */
final class StartedAttempts {

    private final HostProcesses processes;
    private final Supplier<Optional<Instant>> controllerStart;
    private final Consumer<Fact> facts;
    private final BiConsumer<WatchedAttempt, Ending> end;

    /**
     * @param controllerStart if it was read just now
     * @param end takes the end of an attempt
     */
    StartedAttempts(
            HostProcesses processes,
            Supplier<Optional<Instant>> controllerStart,
            Consumer<Fact> facts,
            BiConsumer<WatchedAttempt, Ending> end) {
        this.processes = processes;
        this.controllerStart = controllerStart;
        this.facts = facts;
        this.end = end;
    }

    /** The task runs again. */
    static Ending interrupted() {
        return new Ending.Interrupted(ErrorSentence.SLURM_INTERRUPTED.text());
    }

    void examine(WatchedAttempt one, FileState.Started start, Instant now) {
        if (one.isTimeUp(now)) {
            facts.accept(new Fact.TimeLimitReached(one.id()));
        }
        switch (one.view(now)) {
            case ACTIVE, UNKNOWN -> {
                if (one.find()) {
                    facts.accept(new Fact.Adopted(one.id(), start.process()));
                }
            }
            case SETTLING -> {}
            case UNLISTED -> unlisted(one, start, now);
            case OVER -> over(one, start, now);
            case HOST_FAILED -> {
                switch (processes.look(one.id(), start)) {
                    case GONE -> vanished(one, new Ending.MachineRestarted(), now);
                    case ALIVE, UNKNOWN ->
                            lose(one, ErrorSentence.LOST_HOST.text(start.place().host()));
                }
            }
        }
    }

    /** Slurm has forgotten a job that started: only its host knows whether it runs. */
    private void unlisted(WatchedAttempt one, FileState.Started start, Instant now) {
        switch (processes.look(one.id(), start)) {
            case ALIVE -> alive(one, start);
            case GONE -> vanished(one, one.vanished(), now);
            case UNKNOWN -> unknown(one, start);
        }
    }

    private void alive(WatchedAttempt one, FileState.Started start) {
        one.setAlive();
        if (one.find()) {
            facts.accept(new Fact.Adopted(one.id(), start.process()));
        }
        // To cancel a job that Slurm takes for a waiting one after a crash ends no process.
        if (one.isStopRequested()) {
            processes.end(one.id(), start);
        }
    }

    private void unknown(WatchedAttempt one, FileState.Started start) {
        if (one.isStopRequested()) {
            processes.end(one.id(), start);
        }
        lose(one, ErrorSentence.LOST_JOB.text());
    }

    /**
     * Slurm ends the processes of a job with it. But after a crash it may have taken the job for a
     * waiting one and started it again: that second copy is over at once, and the first one runs.
     */
    private void over(WatchedAttempt one, FileState.Started start, Instant now) {
        switch (processes.look(one.id(), start)) {
            case ALIVE -> alive(one, start);
            case GONE -> vanished(one, one.vanished(), now);
            case UNKNOWN -> {
                one.awaitControllerStart(controllerStart.get(), now);
                one.isInterrupted()
                        .ifPresent(
                                isInterrupted -> {
                                    if (isInterrupted) {
                                        unknown(one, start);
                                    } else {
                                        vanished(one, one.vanished(), now);
                                    }
                                });
            }
        }
    }

    /**
     * No process is left, and there is no exit record: it was killed together with its shim. The
     * record may have been written after it was looked for, so it is looked for again.
     *
     * @param ending if Slurm is not to blame
     */
    private void vanished(WatchedAttempt one, Ending ending, Instant now) {
        if (!one.isGone(now)) {
            return;
        }
        one.awaitControllerStart(controllerStart.get(), now);
        one.isInterrupted()
                .ifPresent(
                        isInterrupted ->
                                end.accept(
                                        one,
                                        isInterrupted && !one.isStopRequested()
                                                ? interrupted()
                                                : ending));
    }

    private void lose(WatchedAttempt one, String why) {
        if (one.lose()) {
            facts.accept(new Fact.Lost(one.id(), why));
        }
    }
}
