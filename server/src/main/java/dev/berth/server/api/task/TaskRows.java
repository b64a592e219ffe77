package dev.berth.server.api.task;

import dev.berth.core.id.TaskId;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.TaskRecord;

import java.util.ArrayList;
import java.util.List;

/**
 * One page of tasks, read in parts. Each part is a query of its own: between two of them the client
 * may take its time, and nothing stays open. A task that leaves the filter meanwhile is left out.
 *
 * <p>Damaged tasks that are known when the list begins are left out and named. One that is found
 * later ends the list with a failure; the next list knows it.
 */
final class TaskRows {

    /** Large enough for few queries, small enough for many clients at once. */
    private static final int PART = 100;

    private final TaskQueries queries;
    private final Filter filter;
    private final DamagedTasks damaged;
    private final List<TaskId> leftOut = new ArrayList<>();
    private List<TaskId> rest;
    private boolean isStarted;

    /**
     * @param ids of the page, in its order
     */
    TaskRows(TaskQueries queries, Filter filter, DamagedTasks damaged, List<TaskId> ids) {
        this.queries = queries;
        this.filter = filter;
        this.damaged = damaged;
        this.rest = List.copyOf(ids);
    }

    /** The next tasks; empty at the end of the page. */
    List<TaskRecord> next() throws StoreFailure {
        if (!isStarted) {
            leaveOutKnown();
        }
        while (!isAtEnd()) {
            int count = Math.min(PART, rest.size());
            var part = read(rest.subList(0, count));
            rest = rest.subList(count, rest.size());
            if (!part.isEmpty()) {
                isStarted = true;
                return part;
            }
        }
        return List.of();
    }

    /** A row can be readable again: a bad read of the disk may pass. */
    private void leaveOutKnown() throws StoreFailure {
        var known = damaged.among(rest);
        for (var id : known) {
            if (readOne(id, new ArrayList<>())) {
                damaged.remove(id);
            }
        }
        rest = rest.stream().filter(id -> !leftOut.contains(id)).toList();
    }

    private List<TaskRecord> read(List<TaskId> ids) throws StoreFailure {
        try {
            return queries.list(filter, ids);
        } catch (StoreFailure failure) {
            if (failure.kind() != StoreFailure.Kind.DAMAGED) {
                throw failure;
            }
            return readSeparately(ids, failure);
        }
    }

    private List<TaskRecord> readSeparately(List<TaskId> ids, StoreFailure failure)
            throws StoreFailure {
        var records = new ArrayList<TaskRecord>();
        boolean isComplete = true;
        for (var id : ids) {
            isComplete &= readOne(id, records);
        }
        // The headers are sent with the first part; later ones can name nothing.
        if (isStarted && !isComplete) {
            throw failure;
        }
        return records;
    }

    /** Adds the task, if it matches. False if it is damaged. */
    private boolean readOne(TaskId id, List<TaskRecord> records) throws StoreFailure {
        try {
            records.addAll(queries.list(filter, List.of(id)));
            return true;
        } catch (StoreFailure failure) {
            if (failure.kind() != StoreFailure.Kind.DAMAGED
                    || leftOut.size() == DamagedTasks.MAX_NAMED) {
                throw failure;
            }
            damaged.add(id);
            leftOut.add(id);
            return false;
        }
    }

    /** The damaged tasks of the page. */
    List<TaskId> leftOut() {
        return List.copyOf(leftOut);
    }

    /** Whether nothing is left to read. */
    boolean isAtEnd() {
        return rest.isEmpty();
    }
}
