package dev.berth.feed;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Script;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.ServerPayload;
import dev.berth.port.read.AuditFilter;
import dev.berth.port.read.GpuRun;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.UserUsage;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;

/** A store that has events only. */
final class FakeEvents implements TaskQueries {

    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final List<Event> events = new ArrayList<>();
    private boolean isFailing;

    /** Adds events until there are this many; one a second. */
    void commitUpTo(long seq) {
        for (long next = events.size() + 1L; next <= seq; next++) {
            events.add(
                    new Event(
                            next,
                            START.plusSeconds(next),
                            Owner.BERTH,
                            Optional.empty(),
                            Optional.empty(),
                            new ServerPayload.ServerStarted(1)));
        }
    }

    void setFailing(boolean isFailing) {
        this.isFailing = isFailing;
    }

    long last() {
        return events.size();
    }

    @Override
    public List<Event> eventsAfter(long seq, int limit) throws StoreFailure {
        if (isFailing) {
            throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "told to fail");
        }
        return events.stream().filter(event -> event.seq() > seq).limit(limit).toList();
    }

    @Override
    public Optional<TaskRecord> find(TaskId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<TaskRecord> list(Filter filter, Page page) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SortedMap<TaskId, Script.Text> scripts(TaskId first, TaskId end) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<TaskId> ids(Filter filter, Page page) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<TaskRecord> list(Filter filter, List<TaskId> ids) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long epoch() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long countFollowing(Filter filter, TaskOrder order, TaskId last) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long count(Filter filter) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Attempt> attempts(TaskId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<String> result(TaskId id) {
        return Optional.empty();
    }

    @Override
    public List<FileRun> fileRuns(int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Event> removal(TaskId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<GpuRun> gpuRuns(Instant from, Instant to, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<UserUsage> usage(Instant from, Instant to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Event> audit(AuditFilter filter, OptionalLong before, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Event> alerts(OptionalLong before, int limit) {
        throw new UnsupportedOperationException();
    }
}
