package dev.berth.slurm;

import dev.berth.core.id.AttemptId;

/** Looks for the processes of attempts on the hosts of the cluster. */
public interface HostProcesses {

    /** What is known about the shim of an attempt. */
    enum Presence {
        ALIVE,
        GONE,
        /** Its host cannot be examined now; the answer may come later. */
        UNKNOWN
    }

    /** May begin an examination whose result a later call returns. */
    Presence look(AttemptId id, AttemptFiles.FileState.Started start);

    /** Ends the processes of an attempt that Slurm does not know any more. */
    void end(AttemptId id, AttemptFiles.FileState.Started start);
}
