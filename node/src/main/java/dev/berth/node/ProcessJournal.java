package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.RunAs;
import dev.berth.node.linux.Signal;

import java.util.OptionalInt;

/** Gets every process that a node starts or signals for a task, and every refused account. */
public interface ProcessJournal {

    ProcessJournal NONE =
            new ProcessJournal() {
                @Override
                public void started(AttemptId attempt, OptionalInt uid, long pid) {}

                @Override
                public void refused(AttemptId attempt, RunAs account) {}

                @Override
                public void signalled(String attempt, ProcessKey process, Signal signal) {}
            };

    /**
     * @param uid of the command; empty if the command runs as the node's own user
     * @param pid of the shim
     */
    void started(AttemptId attempt, OptionalInt uid, long pid);

    /** A server ordered a start as this account, for which nothing is started here. */
    void refused(AttemptId attempt, RunAs account);

    /** Before the signal is sent. */
    void signalled(String attempt, ProcessKey process, Signal signal);
}
