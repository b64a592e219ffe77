package dev.berth.server.api.task;

import dev.berth.core.id.TaskId;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.TaskRecord;

import java.util.List;

/**
 * One page of tasks, read in parts. Each part is a query of its own: between two of them the client
 * may take its time, and nothing stays open. A task that leaves the filter meanwhile is left out.
 */
final class TaskRows {

    /** Large enough for few queries, small enough for many clients at once. */
    private static final int PART = 100;

    private final TaskQueries queries;
    private final Filter filter;
    private List<TaskId> rest;

    /**
     * @param ids of the page, in its order
     */
    TaskRows(TaskQueries queries, Filter filter, List<TaskId> ids) {
        this.queries = queries;
        this.filter = filter;
        this.rest = List.copyOf(ids);
    }

    /** The next tasks; empty at the end of the page. */
    List<TaskRecord> next() throws StoreFailure {
        while (!isAtEnd()) {
            int count = Math.min(PART, rest.size());
            var part = queries.list(filter, rest.subList(0, count));
            rest = rest.subList(count, rest.size());
            if (!part.isEmpty()) {
                return part;
            }
        }
        return List.of();
    }

    /** Whether nothing is left to read. */
    boolean isAtEnd() {
        return rest.isEmpty();
    }
}
