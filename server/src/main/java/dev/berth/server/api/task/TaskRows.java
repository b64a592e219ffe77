package dev.berth.server.api.task;

import dev.berth.core.id.TaskId;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;
import dev.berth.port.read.TaskQueries.TaskRecord;

import java.util.List;
import java.util.Optional;

/**
 * One page of tasks, read in parts. Each part is a query of its own: between two of them the client
 * may take its time, and nothing stays open.
 */
final class TaskRows {

    /** Large enough for few queries, small enough for many clients at once. */
    private static final int PART = 100;

    private final TaskQueries queries;
    private final Filter filter;
    private final Optional<TaskId> last;
    private Page rest;

    /**
     * @param last the last task of the page, if it is full: tasks that leave the filter between two
     *     parts must not be replaced by those of the next page
     */
    TaskRows(TaskQueries queries, Filter filter, Page page, Optional<TaskId> last) {
        this.queries = queries;
        this.filter = filter;
        this.last = last;
        this.rest = page;
    }

    /** The next tasks; empty at the end of the page. */
    List<TaskRecord> next() throws StoreFailure {
        if (isAtEnd()) {
            return List.of();
        }
        int left = rest.limit().orElseThrow();
        int most = Math.min(PART, left);
        var part = queries.list(filter, rest.with(most));
        if (part.isEmpty()) {
            rest = rest.with(0);
            return part;
        }
        var end = part.getLast().task().id();
        rest = rest.following(end, part.size() < most ? 0 : left - most);
        return part.stream().filter(this::isOnPage).toList();
    }

    /** Whether nothing is left to read. */
    boolean isAtEnd() {
        return rest.limit().orElseThrow() == 0;
    }

    private boolean isOnPage(TaskRecord one) {
        boolean isOldestFirst = rest.after().isPresent();
        return last.isEmpty()
                || (isOldestFirst
                        ? one.task().id().compareTo(last.get()) <= 0
                        : one.task().id().compareTo(last.get()) >= 0);
    }
}
