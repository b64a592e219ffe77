package dev.berth.app.endtoend;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;
import dev.berth.port.Change;
import dev.berth.store.Database;
import dev.berth.store.SqliteTaskQueries;
import dev.berth.store.SqliteTaskStore;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Fills the database of a stopped server: a million tasks would take hours over the API. */
final class StoredTasks {

    private static final int BATCH = 10_000;

    private StoredTasks() {}

    /**
     * Copies one task of the database many times.
     *
     * @param like the task to copy, with its script
     * @param more number of copies; their ids follow the highest id
     */
    static void copy(ServerHarness harness, long like, int more) throws Exception {
        var database = Database.open(harness.home().resolve("runtime/tasks.db"));
        try (var store = new SqliteTaskStore(database);
                var queries = new SqliteTaskQueries(database)) {
            var last = store.open().last();
            var task = queries.find(new TaskId(like)).orElseThrow().task();
            var latest = last.createdAt().orElseThrow();
            long id = last.task().orElseThrow().value();
            for (int done = 0; done < more; done += BATCH) {
                var batch = new ArrayList<Change>();
                for (int i = done + 1; i <= Math.min(more, done + BATCH); i++) {
                    var at = latest.plus(i, ChronoUnit.MICROS);
                    batch.add(new Change.TaskSaved(copy(task, new TaskId(id + i), at)));
                }
                store.commit(List.copyOf(batch));
            }
        }
    }

    private static Task copy(Task task, TaskId id, Instant at) {
        return new Task(
                id,
                task.owner(),
                task.spec(),
                at,
                task.queuedAt().map(_ -> at),
                task.state(),
                task.attempts(),
                task.retries(),
                task.notBefore());
    }
}
