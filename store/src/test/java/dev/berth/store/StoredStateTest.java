package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

class StoredStateTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @TempDir private Path home;

    /** A start asks about the tasks that have directories: not about a long queue behind them. */
    @Test
    void namesTheUnfinishedTasksUpToAnId() throws Exception {
        var file = home.resolve("runtime/tasks.db");
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            var changes = new ArrayList<Change>();
            for (int id = 1; id <= 5; id++) {
                var spec = TaskSpec.of("name", "true", Need.CPU, "/");
                changes.add(
                        new Change.TaskSaved(
                                Task.queued(new TaskId(id), Owner.unix("ann"), spec, NOON)));
            }
            store.commit(changes);
        }
        var found = new ArrayList<List<Long>>();
        Database.open(
                file,
                new BackupFiles(home.resolve("backups")),
                stored -> found.addAll(unfinished(stored.orElseThrow())));
        assertThat(found).containsExactly(List.of(1L, 2L, 3L, 4L, 5L), List.of(1L, 2L), List.of());
    }

    private static List<List<Long>> unfinished(StoredState stored) throws StoreFailure {
        return List.of(
                stored.unfinishedTasks(),
                stored.unfinishedTasksUpTo(2),
                stored.unfinishedTasksUpTo(0));
    }
}
