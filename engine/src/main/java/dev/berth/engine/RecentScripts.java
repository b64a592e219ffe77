package dev.berth.engine;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;
import dev.berth.port.Change;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The scripts of new tasks, which need not be read from the store: all that were just committed,
 * and the newest short ones of tasks that wait.
 */
final class RecentScripts {

    private static final int MAX_KEPT = 256;
    private static final int MAX_KEPT_CHARS = 2048;

    private final Map<TaskId, Script.Text> committed = new TreeMap<>();

    private final Map<TaskId, Script.Text> kept =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<TaskId, Script.Text> eldest) {
                    return size() > MAX_KEPT;
                }
            };

    /** Takes the scripts of a commit. Long ones are forgotten with the next call. */
    void commit(List<Change> changes) {
        committed.clear();
        for (var change : changes) {
            if (change instanceof Change.TaskSaved(Task task)
                    && task.spec().script() instanceof Script.Text text) {
                committed.put(task.id(), text);
                kept.remove(task.id());
                if (isShort(text)) {
                    kept.put(task.id(), text);
                }
            }
        }
    }

    private static boolean isShort(Script.Text text) {
        return text.command().length() <= MAX_KEPT_CHARS
                && text.environment().isEmpty()
                && text.runAs().isEmpty();
    }

    Optional<Script.Text> find(TaskId task) {
        return Optional.ofNullable(committed.get(task))
                .or(() -> Optional.ofNullable(kept.get(task)));
    }
}
