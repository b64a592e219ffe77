package dev.berth.testkit.node;

import dev.berth.core.id.TaskId;
import dev.berth.port.TaskFolders;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what was discarded and folded. */
public final class FakeTaskFolders implements TaskFolders {

    private final List<TaskId> discarded = new CopyOnWriteArrayList<>();
    private final List<TaskId> folded = new CopyOnWriteArrayList<>();
    private volatile boolean isFailing;

    public List<TaskId> discarded() {
        return List.copyOf(discarded);
    }

    public List<TaskId> folded() {
        return List.copyOf(folded);
    }

    public void setFailing(boolean isFailing) {
        this.isFailing = isFailing;
    }

    @Override
    public void discard(Collection<TaskId> tasks) throws IOException {
        if (isFailing) {
            throw new IOException("told to fail");
        }
        discarded.addAll(tasks);
    }

    @Override
    public int fold(Collection<TaskId> tasks) {
        folded.addAll(tasks);
        return tasks.size();
    }
}
