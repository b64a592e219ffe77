package dev.berth.port;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.RunAs;

import java.io.IOException;
import java.util.List;

/**
 * Runs the commands of a cluster's scheduler as the owners of tasks, so that the scheduler knows no
 * other user. Only root can do this.
 */
public interface JobCommands {

    /** The commands that run as an owner; their names are those of the programs. */
    enum Program {
        SBATCH,
        SCANCEL,
        /** Where the scheduler shows the jobs of a user to nobody else. */
        SQUEUE
    }

    /**
     * Runs a command as an account and waits for its end.
     *
     * @param attempt for which it runs
     * @throws IOException whether it was carried out is unknown
     */
    Result run(AttemptId attempt, RunAs account, Program program, List<String> arguments)
            throws IOException;

    sealed interface Result {

        record Ended(int status, String output, String errors) implements Result {}

        /**
         * Nothing was run.
         *
         * @param reason why nothing runs as this account, for people
         */
        record Refused(String reason) implements Result {}
    }
}
