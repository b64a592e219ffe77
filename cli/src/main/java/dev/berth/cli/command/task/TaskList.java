package dev.berth.cli.command.task;

import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.AmountParser;
import dev.berth.wire.TaskSummary;

import org.jspecify.annotations.Nullable;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The server's list of tasks, newest first, read page by page as far as needed. */
final class TaskList {

    static final int PAGE_SIZE = 1000;

    /** A task as JSON and parsed. */
    record ListedTask(@Nullable Object json, TaskSummary task) {}

    private final ServerConnection connection;
    private final Map<String, Integer> omitted = new TreeMap<>();

    TaskList(ServerConnection connection) {
        this.connection = connection;
    }

    /** Newest first, the order of the server. */
    static void sort(List<ListedTask> rows) {
        rows.sort((row, other) -> Long.compare(other.task().id(), row.task().id()));
    }

    static List<TaskSummary> tasks(List<ListedTask> rows) {
        List<TaskSummary> tasks = new ArrayList<>(rows.size());
        for (ListedTask row : rows) {
            tasks.add(row.task());
        }
        return tasks;
    }

    /** At most {@code limit} tasks of one status, or of any status if it is empty. */
    List<ListedTask> newest(String status, int limit) {
        List<ListedTask> rows = new ArrayList<>();
        while (rows.size() < limit) {
            int pageSize = Math.min(PAGE_SIZE, limit - rows.size());
            String query = "limit=" + pageSize;
            if (!status.isEmpty()) {
                query += "&status=" + URLEncoder.encode(status, StandardCharsets.UTF_8);
            }
            if (!rows.isEmpty()) {
                query += "&before=" + rows.getLast().task().id();
            }
            List<ListedTask> page = page(connection.get("/api/tasks?" + query));
            rows.addAll(page);
            if (page.size() < pageSize) {
                break;
            }
        }
        return rows;
    }

    /**
     * Reads all tasks, one page at a time: a million of them would not fit into memory.
     *
     * @param status empty for any
     * @param isOldestFirst otherwise newest first
     */
    void readAll(String status, boolean isOldestFirst, Consumer<List<ListedTask>> reader) {
        long last = isOldestFirst ? 0 : Long.MAX_VALUE;
        List<ListedTask> page;
        do {
            String query = "limit=" + PAGE_SIZE + (isOldestFirst ? "&after=" : "&before=") + last;
            if (!status.isEmpty()) {
                query += "&status=" + URLEncoder.encode(status, StandardCharsets.UTF_8);
            }
            page = page(connection.get("/api/tasks?" + query));
            if (!page.isEmpty()) {
                reader.accept(page);
                last = page.getLast().task().id();
            }
        } while (page.size() == PAGE_SIZE);
    }

    /** The newest tasks of one status. The number of further tasks is kept for {@link #omitted}. */
    List<ListedTask> newestCounted(String status, int limit) {
        ApiReply reply = connection.get("/api/tasks?status=" + status + "&limit=" + limit);
        List<ListedTask> rows = page(reply);
        int more = AmountParser.count(reply.header("x-total-count")).orElse(0) - rows.size();
        if (more > 0) {
            omitted.put(status, more);
        }
        return rows;
    }

    /** The newest tasks that have ended, with any result. */
    List<ListedTask> finished(int limit) {
        List<ListedTask> rows = newest("completed", limit);
        rows.addAll(newest("failed", limit));
        rows.addAll(newest("cancelled", limit));
        sort(rows);
        return new ArrayList<>(rows.subList(0, Math.min(limit, rows.size())));
    }

    /** The number of tasks that were not read, by status. */
    Map<String, Integer> omitted() {
        return omitted;
    }

    private List<ListedTask> page(ApiReply reply) {
        if (!(connection.json(reply) instanceof List<?> tasks)) {
            throw new CommandFailure("the server sent no list of tasks");
        }
        List<ListedTask> rows = new ArrayList<>(tasks.size());
        for (Object task : tasks) {
            rows.add(new ListedTask(task, WireReader.taskSummary(task)));
        }
        return rows;
    }
}
