package dev.berth.engine;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;
import dev.berth.port.Change;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * The scripts of new tasks, which need not be read from the store: all that were just committed,
 * and the newest short ones of tasks that wait.
 */
final class RecentScripts {

    private static final int MAX_KEPT = 4096;

    /** Of one script, and of all together. */
    private static final int MAX_CHARS = 2048;

    private static final int MAX_ALL_CHARS = 1 << 20;

    private final Map<TaskId, Script.Text> committed = new TreeMap<>();

    private final SequencedMap<TaskId, Script.Text> kept = new LinkedHashMap<>();

    private int keptChars;

    /** Takes the scripts of a commit. Long ones are forgotten with the next call. */
    void commit(List<Change> changes) {
        committed.clear();
        for (var change : changes) {
            if (change instanceof Change.TaskSaved(Task task)
                    && task.spec().script() instanceof Script.Text text) {
                committed.put(task.id(), text);
                forget(task.id());
                if (isShort(text)) {
                    keep(task.id(), text);
                }
            }
        }
    }

    private void keep(TaskId task, Script.Text text) {
        kept.putLast(task, text);
        keptChars += text.command().length();
        while (kept.size() > MAX_KEPT || keptChars > MAX_ALL_CHARS) {
            forget(kept.firstEntry().getKey());
        }
    }

    private void forget(TaskId task) {
        var text = kept.remove(task);
        if (text != null) {
            keptChars -= text.command().length();
        }
    }

    private static boolean isShort(Script.Text text) {
        return text.command().length() <= MAX_CHARS
                && text.environment().isEmpty()
                && text.runAs().isEmpty();
    }

    Optional<Script.Text> find(TaskId task) {
        return Optional.ofNullable(committed.get(task))
                .or(() -> Optional.ofNullable(kept.get(task)));
    }
}
