package dev.berth.port;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;

import java.time.Instant;
import java.util.List;

/**
 * Keeps cancels that the store could not take, in space that was reserved before. Only the engine's
 * thread uses it.
 */
public interface CancelJournal {

    /** Keeps nothing. */
    CancelJournal NONE =
            new CancelJournal() {
                @Override
                public List<PendingCancel> read() {
                    return List.of();
                }

                @Override
                public boolean add(PendingCancel cancel) {
                    return false;
                }

                @Override
                public void clear() {}
            };

    /** The cancels that an earlier server left. */
    List<PendingCancel> read();

    /** False if it could not be kept; true if it survives a crash of the server. */
    boolean add(PendingCancel cancel);

    /** The store has taken all of them. */
    void clear();

    record PendingCancel(TaskId task, Owner actor, Instant at) {}
}
