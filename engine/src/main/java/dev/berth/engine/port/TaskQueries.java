package dev.berth.engine.port;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Source;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Reads of what has been committed, from any thread. */
public interface TaskQueries {

    Optional<TaskRecord> find(TaskId id) throws StoreFailure;

    /** Newest first. */
    List<TaskRecord> list(Filter filter, Page page) throws StoreFailure;

    long count(Filter filter) throws StoreFailure;

    /** All attempts of one task, oldest first. */
    List<Attempt> attempts(TaskId id) throws StoreFailure;

    /** Started command files, newest first. */
    List<LaneRun> runs(int limit) throws StoreFailure;

    /** Events after {@code seq}, oldest first. */
    List<Event> eventsAfter(long seq, int limit) throws StoreFailure;

    /**
     * What each user had of the cards from one moment to another, by name; nobody who had nothing.
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
     * Which tasks.
     *
     * @param status the wire word of a state
     */
    record Filter(Optional<String> status, Optional<Source> source) {
        public static final Filter ALL = new Filter(Optional.empty(), Optional.empty());
    }

    /**
     * Which part of them.
     *
     * @param before only ids below this one
     */
    record Page(OptionalInt limit, Optional<TaskId> before) {
        public static final Page WHOLE = new Page(OptionalInt.empty(), Optional.empty());
    }
}
