package dev.berth.port.read;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.read.LeftoverProcesses.ProcessTableUnreadable;

import java.util.List;
import java.util.Optional;

/** Looks for the processes of an attempt that Berth does not watch. */
public interface AttemptProcesses {

    /** The living processes that belong to the attempt; its shim or its oldest process first. */
    List<SeenProcess> alive(AttemptId attempt) throws ProcessTableUnreadable;

    /**
     * The process that a person named. Empty if it does not live, or may not be a process of an
     * attempt: it belongs to another user, or is the server itself.
     */
    Optional<SeenProcess> named(long pid) throws ProcessTableUnreadable;

    /**
     * @param program name of the process
     */
    record SeenProcess(ShimProcess process, String program) {}
}
