package dev.berth.core.task;

import java.time.Instant;

/** A transition of an attempt's phase. */
public sealed interface PhaseTransition {

    /**
     * The shim was seen alive: it has just started, or the server found it again after a restart.
     */
    record SeenAlive(ShimProcess process) implements PhaseTransition {}

    record Stop(StopCause cause, Instant at) implements PhaseTransition {}

    record LoseContact(String reason) implements PhaseTransition {}

    /** A process of the attempt could not be killed. */
    record GetStuck(String survivors) implements PhaseTransition {}

    /** No process of the attempt is left. */
    record End(Ending ending, Instant at) implements PhaseTransition {}
}
