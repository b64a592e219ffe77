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

    /** One task with all that is stored about it. A store may read it in one transaction. */
    default Optional<WholeTask> findWhole(TaskId id) throws StoreFailure {
        var found = find(id);
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(new WholeTask(found.get(), attempts(id), result(id)));
    }

    /** In the order of the page, without the texts of their scripts. */
    List<TaskRecord> list(Filter filter, Page page) throws StoreFailure;

    /** The ids of the same tasks, in the same order. */
    List<TaskId> ids(Filter filter, Page page) throws StoreFailure;

    /** Those of these tasks that exist and match, in this order, without the texts of scripts. */
    List<TaskRecord> list(Filter filter, List<TaskId> ids) throws StoreFailure;

    /**
     * The texts of the scripts of these tasks, by id.
     *
     * @param end exclusive
     */
    SortedMap<TaskId, Script.Text> scripts(TaskId first, TaskId end) throws StoreFailure;

    long count(Filter filter) throws StoreFailure;

    /** The number of tasks that match and follow this one in the order. */
    long countFollowing(Filter filter, TaskOrder order, TaskId last) throws StoreFailure;

    /** All attempts of one task, oldest first. */
    List<Attempt> attempts(TaskId id) throws StoreFailure;

    /** What the worker of a task answered, as JSON. */
    Optional<String> result(TaskId id) throws StoreFailure;

    /** File runs, newest first. */
    List<FileRun> fileRuns(int limit) throws StoreFailure;

    /** Events after {@code seq}, oldest first. */
    List<Event> eventsAfter(long seq, int limit) throws StoreFailure;

    /**
     * The events that match, newest first.
     *
     * @param before only those with a lower seq
     */
    List<Event> audit(AuditFilter filter, OptionalLong before, int limit) throws StoreFailure;

    /**
     * GPU usage of each user in a time window, by name; only users with usage.
     *
     * @param to not after now
     */
    List<UserUsage> usage(Instant from, Instant to) throws StoreFailure;

    /**
     * The attempts of ended tasks that held GPUs within a period, those of the tasks that ended
     * last first.
     */
    List<GpuRun> gpuRuns(Instant from, Instant to, int limit) throws StoreFailure;

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
     * A task with all its attempts.
     *
     * @param attempts oldest first
     * @param result what its worker answered, as JSON
     */
    record WholeTask(TaskRecord latest, List<Attempt> attempts, Optional<String> result) {

        public Task task() {
            return latest.task();
        }
    }

    /**
     * Selects tasks.
     *
     * @param status the name of a state on the wire
     * @param source without it, the tasks of workers are left out
     * @param owner the name of their owner
     * @param words each of them is part of the name, the owner, the GPU type or {@code #ID},
     *     without regard to upper and lower case of A to Z
     * @param isEnded only tasks that have ended
     */
    record Filter(
            Optional<String> status,
            Optional<TaskSource> source,
            Optional<String> owner,
            List<String> words,
            boolean isEnded) {
        public static final Filter ALL = new Filter(Optional.empty(), Optional.empty());

        public Filter {
            words = List.copyOf(words);
        }

        public Filter(Optional<String> status, Optional<TaskSource> source) {
            this(status, source, Optional.empty(), List.of(), false);
        }
    }

    /**
     * Selects a part of the result.
     *
     * @param before only ids below this one
     * @param after only tasks that follow this one in the order; 0 for all
     */
    record Page(OptionalInt limit, Optional<TaskId> before, OptionalLong after, TaskOrder order) {
        public static final Page WHOLE = new Page(OptionalInt.empty(), Optional.empty());

        /** Newest first. */
        public Page(OptionalInt limit, Optional<TaskId> before) {
            this(limit, before, OptionalLong.empty(), TaskOrder.NEWEST_FIRST);
        }

        /** True if no task is left out before this page. */
        public boolean isFirst() {
            return before.isEmpty() && after.orElse(0) == 0;
        }
    }
}
