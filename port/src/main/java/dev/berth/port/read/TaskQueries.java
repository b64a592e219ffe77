package dev.berth.port.read;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSource;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;

/** Queries of committed data, from any thread. */
public interface TaskQueries {

    /** The epoch of the server that opened the store last. */
    long epoch() throws StoreFailure;

    /** One task, with the text of its script. */
    Optional<TaskRecord> find(TaskId id) throws StoreFailure;

    /** In the order of the page, without the texts of their scripts. */
    List<TaskRecord> list(Filter filter, Page page) throws StoreFailure;

    /** The last task of a full page with a limit; empty if the page has fewer tasks. */
    Optional<TaskId> lastOfFullPage(Filter filter, Page page) throws StoreFailure;

    /**
     * The texts of the scripts of these tasks, by id.
     *
     * @param end exclusive
     */
    SortedMap<TaskId, Script.Text> scripts(TaskId first, TaskId end) throws StoreFailure;

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

    /** The event of the removal of a task, if it was removed. */
    Optional<Event> removal(TaskId id) throws StoreFailure;

    /** A task with its latest attempt. */
    record TaskRecord(Task task, Optional<Attempt> latest) {

        public TaskRecord with(Script script) {
            return new TaskRecord(task.with(task.spec().with(script)), latest);
        }
    }

    /**
     * Selects tasks.
     *
     * @param status the name of a state on the wire
     */
    record Filter(Optional<String> status, Optional<TaskSource> source) {
        public static final Filter ALL = new Filter(Optional.empty(), Optional.empty());
    }

    /**
     * Selects a part of the result: newest first, or oldest first from {@code after} on.
     *
     * @param before only ids below this one
     * @param after only ids above this one; 0 for all
     */
    record Page(OptionalInt limit, Optional<TaskId> before, OptionalLong after) {
        public static final Page WHOLE = new Page(OptionalInt.empty(), Optional.empty());

        /** Newest first. */
        public Page(OptionalInt limit, Optional<TaskId> before) {
            this(limit, before, OptionalLong.empty());
        }

        public Page with(int other) {
            return new Page(OptionalInt.of(other), before, after);
        }

        /** The part of this page that follows this task, with another limit. */
        public Page following(TaskId last, int other) {
            var most = OptionalInt.of(other);
            return after.isPresent()
                    ? new Page(most, before, OptionalLong.of(last.value()))
                    : new Page(most, Optional.of(last), after);
        }
    }
}
