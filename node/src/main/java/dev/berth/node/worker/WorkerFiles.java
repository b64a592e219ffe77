package dev.berth.node.worker;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.RunAs;
import dev.berth.node.shim.AttemptDirectory;

import java.io.IOException;
import java.util.OptionalInt;

/** Where the files of workers and of their tasks are, and who may read them. */
public interface WorkerFiles {

    AttemptDirectory directory(AttemptId attempt);

    /**
     * The uid of a task's owner, who may read the log of the task; empty if tasks are not started
     * for this account. May ask a name service.
     */
    OptionalInt reader(RunAs owner) throws IOException;
}
