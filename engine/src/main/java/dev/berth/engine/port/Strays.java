package dev.berth.engine.port;

import dev.berth.core.task.AttemptId;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Processes by the marker of the attempt that they come from, whatever became of it. Which attempts
 * are over is not known here: whoever wants to end something asks the engine <em>after</em> having
 * looked, for an attempt is in the engine's state before its first process is.
 */
public interface Strays {

    /** Attempts of which something is alive that may be ended. */
    SortedSet<AttemptId> attempts() throws Unreadable;

    /** What is alive of one that is over, less what is nobody's to end. */
    List<Stray> of(AttemptId over) throws Unreadable;

    /** Ends all of it, asking first; what was there and is no more. */
    List<Stray> end(AttemptId over) throws Unreadable;

    /** Whether a process has this number now; of what it is, nothing is said. */
    boolean isAlive(long pid) throws Unreadable;

    /** From which attempt of this home the process with this number comes. */
    Optional<AttemptId> attemptOf(long pid) throws Unreadable;

    /**
     * One process.
     *
     * @param program its name for itself
     */
    record Stray(long pid, String program, AttemptId attempt, Instant since) {}

    /** The list of processes cannot be read. */
    final class Unreadable extends Exception {
        private static final long serialVersionUID = 1;

        public Unreadable(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
