package dev.berth.core.task;

import java.time.Instant;

/** What can happen to an attempt. */
public sealed interface PhaseMove {

    /** Its shim was seen alive: started just now, or taken up again after a restart. */
    record Come(Run run) implements PhaseMove {}

    record Stop(StopCause cause, Instant at) implements PhaseMove {}

    record Lose(String why) implements PhaseMove {}

    /** Something of it could not be ended. */
    record Stick(String what) implements PhaseMove {}

    /** Nothing of it is left. */
    record End(Ending ending, Instant at) implements PhaseMove {}
}
