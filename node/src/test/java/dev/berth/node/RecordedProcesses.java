package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.RunAs;
import dev.berth.node.linux.Signal;

import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what a node records. */
final class RecordedProcesses implements ProcessJournal {

    /** The uids of the commands that were started. */
    final List<OptionalInt> started = new CopyOnWriteArrayList<>();

    final List<RunAs> refused = new CopyOnWriteArrayList<>();

    @Override
    public void started(AttemptId attempt, OptionalInt uid, long pid) {
        started.add(uid);
    }

    @Override
    public void refused(AttemptId attempt, RunAs account) {
        refused.add(account);
    }

    @Override
    public void signalled(String attempt, ProcessKey process, Signal signal) {}
}
