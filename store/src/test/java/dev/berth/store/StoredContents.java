package dev.berth.store;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.task.Attempt;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskStore;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;
import dev.berth.port.read.TaskQueries.TaskRecord;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** All that a server reads from a database. */
record StoredContents(
        List<TaskRecord> tasks,
        List<TaskRecord> completed,
        List<Attempt> attempts,
        List<Event> events,
        List<Event> alerts,
        List<FileRun> runs) {

    static TaskStore.Loaded load(Path file) throws HomeRefused, StoreFailure {
        return load(Database.open(file));
    }

    static TaskStore.Loaded load(Database database) throws StoreFailure {
        try (var store = new SqliteTaskStore(database)) {
            return store.open();
        }
    }

    static StoredContents read(Path file) throws HomeRefused, StoreFailure {
        return read(Database.open(file));
    }

    static StoredContents read(Database database) throws StoreFailure {
        try (var queries = new SqliteTaskQueries(database)) {
            var tasks = queries.list(Filter.ALL, Page.WHOLE);
            var attempts = new ArrayList<Attempt>();
            for (var each : tasks) {
                attempts.addAll(queries.attempts(each.task().id()));
                var _ = queries.find(each.task().id()).orElseThrow();
            }
            return new StoredContents(
                    tasks,
                    queries.list(
                            new Filter(Optional.of("completed"), Optional.empty()), Page.WHOLE),
                    attempts,
                    queries.eventsAfter(0, 10_000),
                    queries.alerts(OptionalLong.empty(), 1000),
                    queries.fileRuns(1000));
        }
    }
}
