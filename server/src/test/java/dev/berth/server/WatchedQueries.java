package dev.berth.server;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;
import dev.berth.engine.port.UserUsage;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * A store of which somebody knows whenever a task is looked up.
 *
 * @param onFind before the answer
 */
record WatchedQueries(TaskQueries queries, Consumer<TaskId> onFind) implements TaskQueries {

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
    public long count(Filter filter) throws StoreFailure {
        return queries.count(filter);
    }

    @Override
    public List<Attempt> attempts(TaskId id) throws StoreFailure {
        return queries.attempts(id);
    }

    @Override
    public List<LaneRun> runs(int limit) throws StoreFailure {
        return queries.runs(limit);
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
    public List<Event> alerts(OptionalLong before, int limit) throws StoreFailure {
        return queries.alerts(before, limit);
    }
}
