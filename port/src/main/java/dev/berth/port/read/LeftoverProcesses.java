package dev.berth.port.read;

import dev.berth.core.id.AttemptId;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Processes found by the marker of their attempt. This port does not know which attempts have
 * ended: before ending a process, ask the engine <em>after</em> the search, because an attempt is
 * in the state of the engine before its first process exists.
 */
public interface LeftoverProcesses {

    /** Attempts with live processes that may be ended. */
    SortedSet<AttemptId> attempts() throws ProcessTableUnreadable;

    /** Live processes of an ended attempt, without those that must not be ended. */
    List<LeftoverProcess> of(AttemptId over) throws ProcessTableUnreadable;

    /** Ends these processes, with TERM first; returns those that were ended. */
    List<LeftoverProcess> end(AttemptId over) throws ProcessTableUnreadable;

    /** Whether any process has this pid now. */
    boolean isAlive(long pid) throws ProcessTableUnreadable;

    /** The attempt of this home that the process with this pid belongs to. */
    Optional<AttemptId> attemptOf(long pid) throws ProcessTableUnreadable;

    /**
     * One process.
     *
     * @param program name of the process
     */
    record LeftoverProcess(long pid, String program, AttemptId attempt, Instant since) {}

    /** The process list cannot be read. */
    final class ProcessTableUnreadable extends Exception {
        private static final long serialVersionUID = 1;

        public ProcessTableUnreadable(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
