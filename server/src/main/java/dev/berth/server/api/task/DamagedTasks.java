package dev.berth.server.api.task;

import dev.berth.core.id.TaskId;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tasks whose rows could not be read because the disk has changed them. A list leaves them out and
 * names them in its headers, so it must know them before it sends its first row.
 */
final class DamagedTasks {

    /** The most that one list names. With more, the list is refused. */
    static final int MAX_NAMED = 50;

    private static final int MAX_KNOWN = 10_000;

    private final Set<TaskId> known = ConcurrentHashMap.newKeySet();

    void add(TaskId id) {
        if (known.size() < MAX_KNOWN) {
            known.add(id);
        }
    }

    void remove(TaskId id) {
        known.remove(id);
    }

    List<TaskId> among(List<TaskId> ids) {
        return known.isEmpty() ? List.of() : ids.stream().filter(known::contains).toList();
    }
}
