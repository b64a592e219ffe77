package dev.berth.engine;

import dev.berth.core.id.TaskId;
import dev.berth.engine.Engine.Envelope;
import dev.berth.port.CancelJournal;
import dev.berth.port.CancelJournal.PendingCancel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cancels that were accepted while the store could not take them. They come before all else. */
final class PendingCancels {

    private final CancelJournal journal;
    private final Map<TaskId, Envelope> pending = new LinkedHashMap<>();

    PendingCancels(CancelJournal journal) {
        this.journal = journal;
        journal.read().forEach(this::remember);
    }

    private void remember(PendingCancel cancel) {
        var command = new EngineCommand.Cancel(cancel.at(), cancel.actor(), cancel.task());
        pending.put(cancel.task(), new Envelope(command, _ -> {}));
    }

    List<Envelope> all() {
        return List.copyOf(pending.values());
    }

    boolean contains(TaskId task) {
        return pending.containsKey(task);
    }

    /** Accepts a cancel although it is not in the store. */
    EngineReply.CancelPending add(EngineCommand.Cancel cancel) {
        var kept = new PendingCancel(cancel.task(), cancel.actor(), cancel.at());
        boolean isNew = !pending.containsKey(cancel.task());
        remember(kept);
        return new EngineReply.CancelPending(cancel.task(), !isNew || journal.add(kept));
    }

    /** The store has taken all of them. */
    void committed() {
        if (!pending.isEmpty()) {
            pending.clear();
            journal.clear();
        }
    }
}
