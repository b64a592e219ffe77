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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server's list of tasks, newest first, read page by page as far as needed. */
final class TaskList {

    static final int PAGE_SIZE = 1000;

    private static final List<String> ENDED = List.of("completed", "failed", "cancelled");

    private static final Pattern NEXT_PAGE =
            Pattern.compile("<(/api/tasks\\?[^>\\s]*)>; rel=\"next\"");

    /** Takes one page after the other. No page is empty. */
    interface PageReader {
        /**
         * @return false to read no further page
         */
        boolean read(List<ListedTask> page, boolean hasNext);
    }

    /** A task as JSON and parsed. */
    record ListedTask(@Nullable Object json, TaskSummary task) {}

    private final ServerConnection connection;
    private final Map<String, Integer> omitted = new TreeMap<>();
    private final Set<Integer> damaged = new TreeSet<>();

    TaskList(ServerConnection connection) {
        this.connection = connection;
    }

    /** Newest first, the order of the server. */
    private static void sort(List<ListedTask> rows) {
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
        readPages(
                "/api/tasks?limit=" + Math.min(PAGE_SIZE, limit) + parameter(status),
                (page, _) -> {
                    rows.addAll(page);
                    return rows.size() < limit;
                });
        return rows.size() > limit ? new ArrayList<>(rows.subList(0, limit)) : rows;
    }

    /**
     * Reads all tasks, one page at a time: a million of them would not fit into memory.
     *
     * @param status empty for any
     * @param isOldestFirst otherwise newest first
     */
    void readAll(String status, boolean isOldestFirst, PageReader reader) {
        String start = isOldestFirst ? "&after=0" : "&before=" + Long.MAX_VALUE;
        readPages("/api/tasks?limit=" + PAGE_SIZE + start + parameter(status), reader);
    }

    /** A page can be short or empty without being the last one: only the link tells. */
    private void readPages(String first, PageReader reader) {
        String target = first;
        boolean isWanted = true;
        while (isWanted && !target.isEmpty()) {
            ApiReply reply = connection.get(target);
            target = nextPage(reply);
            List<ListedTask> page = page(reply);
            isWanted = page.isEmpty() || reader.read(page, !target.isEmpty());
        }
    }

    private static String parameter(String status) {
        return status.isEmpty()
                ? ""
                : "&status=" + URLEncoder.encode(status, StandardCharsets.UTF_8);
    }

    /** The target of the next page, or empty after the last one. */
    private static String nextPage(ApiReply reply) {
        Matcher link = NEXT_PAGE.matcher(reply.header("link"));
        return link.matches() ? link.group(1) : "";
    }

    /**
     * The tasks that run or wait, newest first, and the newest that have ended. The number of
     * further waiting or running ones is kept for {@link #omitted}.
     *
     * @param limit of each status that is not final
     */
    List<ListedTask> overview(int limit, int endedLimit) {
        ApiReply reply = connection.get("/api/tasks?limit=" + limit);
        List<ListedTask> rows = page(reply);
        if (reply.header("x-total-count").equals(Integer.toString(rows.size()))) {
            return withoutOldEnded(rows, endedLimit);
        }
        rows = finished(endedLimit);
        rows.addAll(newestCounted("running", limit));
        rows.addAll(newestCounted("queued", limit));
        rows.addAll(newestCounted("pending", limit));
        sort(rows);
        return rows;
    }

    private static List<ListedTask> withoutOldEnded(List<ListedTask> all, int endedLimit) {
        List<ListedTask> rows = new ArrayList<>(all.size());
        int ended = 0;
        for (ListedTask row : all) {
            if (!ENDED.contains(row.task().header().status()) || ended++ < endedLimit) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static int total(ApiReply reply) {
        return AmountParser.count(reply.header("x-total-count")).orElse(0);
    }

    private List<ListedTask> newestCounted(String status, int limit) {
        ApiReply reply = connection.get("/api/tasks?status=" + status + "&limit=" + limit);
        List<ListedTask> rows = page(reply);
        int more = total(reply) - rows.size();
        if (more > 0) {
            omitted.put(status, more);
        }
        return rows;
    }

    /** The newest tasks that have ended, with any result. */
    private List<ListedTask> finished(int limit) {
        List<ListedTask> rows = new ArrayList<>();
        for (String status : ENDED) {
            rows.addAll(newest(status, limit));
        }
        sort(rows);
        return new ArrayList<>(rows.subList(0, Math.min(limit, rows.size())));
    }

    /** The number of tasks that were not read, by status. */
    Map<String, Integer> omitted() {
        return omitted;
    }

    /** The tasks that the server could not read, and left out. */
    Set<Integer> damaged() {
        return damaged;
    }

    private List<ListedTask> page(ApiReply reply) {
        for (String id : reply.header("x-damaged-tasks").split(",")) {
            AmountParser.count(id).ifPresent(damaged::add);
        }
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
