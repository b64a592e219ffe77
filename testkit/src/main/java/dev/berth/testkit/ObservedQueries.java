package dev.berth.testkit;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Script;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.AuditFilter;
import dev.berth.port.read.GpuRun;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.UserUsage;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.function.Consumer;

/**
 * A store that reports every lookup of a task and every count of all tasks of a filter.
 *
 * @param onFind called before the lookup
 * @param onCount called before the count
 */
public record ObservedQueries(
        TaskQueries queries, Consumer<TaskId> onFind, Consumer<TaskQueries.Filter> onCount)
        implements TaskQueries {

    public ObservedQueries(TaskQueries queries, Consumer<TaskId> onFind) {
        this(queries, onFind, _ -> {});
    }

    @Override
    public Optional<TaskRecord> find(TaskId id) throws StoreFailure {
        onFind.accept(id);
        return queries.find(id);
    }

    @Override
    public List<TaskRecord> list(Filter filter, Page page) throws StoreFailure {
        return queries.list(filter, page);
    }

    @Override
    public SortedMap<TaskId, Script.Text> scripts(TaskId first, TaskId end) throws StoreFailure {
        return queries.scripts(first, end);
    }

    @Override
    public long epoch() throws StoreFailure {
        return queries.epoch();
    }

    @Override
    public List<TaskId> ids(Filter filter, Page page) throws StoreFailure {
        return queries.ids(filter, page);
    }

    @Override
    public List<TaskRecord> list(Filter filter, List<TaskId> ids) throws StoreFailure {
        return queries.list(filter, ids);
    }

    @Override
    public long countFollowing(Filter filter, TaskOrder order, TaskId last) throws StoreFailure {
        return queries.countFollowing(filter, order, last);
    }

    @Override
    public long count(Filter filter) throws StoreFailure {
        onCount.accept(filter);
        return queries.count(filter);
    }

    @Override
    public List<GpuRun> gpuRuns(Instant from, Instant to, int limit) throws StoreFailure {
        return queries.gpuRuns(from, to, limit);
    }

    @Override
    public List<Attempt> attempts(TaskId id) throws StoreFailure {
        return queries.attempts(id);
    }

    @Override
    public Optional<String> result(TaskId id) throws StoreFailure {
        return queries.result(id);
    }

    @Override
    public List<FileRun> fileRuns(int limit) throws StoreFailure {
        return queries.fileRuns(limit);
    }

    @Override
    public List<Event> eventsAfter(long seq, int limit) throws StoreFailure {
        return queries.eventsAfter(seq, limit);
    }

    @Override
    public List<UserUsage> usage(Instant from, Instant to) throws StoreFailure {
        return queries.usage(from, to);
    }

    @Override
    public List<Event> audit(AuditFilter filter, OptionalLong before, int limit)
            throws StoreFailure {
        return queries.audit(filter, before, limit);
    }

    @Override
    public List<Event> alerts(OptionalLong before, int limit) throws StoreFailure {
        return queries.alerts(before, limit);
    }

    @Override
    public Optional<Event> removal(TaskId id) throws StoreFailure {
        return queries.removal(id);
    }
}
