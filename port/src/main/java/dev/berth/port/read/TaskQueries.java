package dev.berth.port.read;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSource;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Queries of committed data, from any thread. */
public interface TaskQueries {

    Optional<TaskRecord> find(TaskId id) throws StoreFailure;

    /** Newest first. */
    List<TaskRecord> list(Filter filter, Page page) throws StoreFailure;

    long count(Filter filter) throws StoreFailure;

    /** All attempts of one task, oldest first. */
    List<Attempt> attempts(TaskId id) throws StoreFailure;

    /** File runs, newest first. */
    List<FileRun> fileRuns(int limit) throws StoreFailure;

    /** Events after {@code seq}, oldest first. */
    List<Event> eventsAfter(long seq, int limit) throws StoreFailure;

    /**
     * GPU usage of each user in a time window, by name; only users with usage.
     *
     * @param to not after now
     */
    List<UserUsage> usage(Instant from, Instant to) throws StoreFailure;

    /**
     * Events that are alerts, newest first.
     *
     * @param before only those with a lower seq
     */
    List<Event> alerts(OptionalLong before, int limit) throws StoreFailure;

    /** A task with its latest attempt. */
    record TaskRecord(Task task, Optional<Attempt> latest) {}

    /**
     * Selects tasks.
     *
     * @param status the name of a state on the wire
     */
    record Filter(Optional<String> status, Optional<TaskSource> source) {
        public static final Filter ALL = new Filter(Optional.empty(), Optional.empty());
    }

    /**
     * Selects a part of the result.
     *
     * @param before only ids below this one
     */
    record Page(OptionalInt limit, Optional<TaskId> before) {
        public static final Page WHOLE = new Page(OptionalInt.empty(), Optional.empty());
    }
}
