package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.TaskSource;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;
import dev.berth.server.api.SearchLimit;
import dev.berth.server.api.TaskLookup;
import dev.berth.wire.TaskSummary;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** The list of tasks: filtered, searched, ordered, and sent page by page. */
public final class TaskListRoutes {

    /** The most rows of one response. */
    private static final long MAX_ROWS = 1000;

    private static final int MAX_WORDS = 8;
    private static final int MAX_TEXT = 200;

    private static final Map<String, TaskOrder> ORDERS = orders();

    private static final Param<String> STATUS =
            Param.choice(
                    "status",
                    "only tasks in this state",
                    List.of("pending", "queued", "running", "completed", "failed", "cancelled"));
    private static final Param<String> SOURCE =
            Param.choice(
                    "source",
                    "only tasks of this source",
                    Arrays.stream(TaskSource.values()).map(TaskListRoutes::word).toList());
    private static final Param<String> OWNER =
            new Param<>(
                    "owner",
                    "only tasks of this user",
                    Map.of("type", "string"),
                    text -> {
                        if (text.isBlank() || text.length() > MAX_TEXT) {
                            throw new RejectedException(Rejected.invalid("owner.invalid", "owner"));
                        }
                        return text;
                    });
    private static final Param<List<String>> WORDS =
            new Param<>(
                    "q",
                    "only tasks that contain each of these words in name, owner, GPU type or #ID",
                    Map.of("type", "string", "maxLength", MAX_TEXT),
                    TaskListRoutes::words);
    private static final Param<String> SORT =
            Param.choice(
                    "sort",
                    "the order; -id (newest first) if unset, finished_at lists only ended tasks",
                    List.copyOf(ORDERS.keySet()));
    private static final Param<Long> LIMIT =
            Param.number("limit", "the maximum number; 1000 if unset", 1, MAX_ROWS);
    private static final Param<Long> BEFORE =
            Param.number("before", "only ids below this one", 1, Long.MAX_VALUE);
    private static final Param<Long> AFTER =
            Param.number(
                    "after",
                    "only tasks that follow this one in the order, 0 for all; without sort only"
                            + " ids above this one, oldest first",
                    0,
                    Long.MAX_VALUE);

    private static final RouteDoc DOC =
            RouteDoc.of(
                            "Tasks, newest first; X-Total-Count is their number, Link the next"
                                    + " page, X-Damaged-Tasks those that cannot be read")
                    .withQuery(WORDS, OWNER, STATUS, SOURCE, SORT, LIMIT, BEFORE, AFTER)
                    .withListResponse(200, TaskSummary.class)
                    .withErrors(422, 500, 503);

    private final TaskLookup lookup;
    private final TaskJson words;
    private final SearchLimit searches = SearchLimit.usual();
    private final DamagedTasks damaged = new DamagedTasks();

    public TaskListRoutes(TaskLookup lookup, TaskJson words) {
        this.lookup = lookup;
        this.words = words;
    }

    private static Map<String, TaskOrder> orders() {
        var orders = new LinkedHashMap<String, TaskOrder>();
        for (var key : TaskOrder.Key.values()) {
            var name =
                    key == TaskOrder.Key.END ? "finished_at" : key.name().toLowerCase(Locale.ROOT);
            orders.put("-" + name, new TaskOrder(key, true));
            orders.put(name, new TaskOrder(key, false));
        }
        return orders;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PathPattern.of("/api/tasks"), AccessLevel.SERVED, DOC, this::list));
    }

    private RouteResponse list(RouteRequest call) throws RejectedException, StoreFailure {
        words.refreshForecast();
        var page = page(call);
        var filter =
                new Filter(
                        call.query(STATUS),
                        call.query(SOURCE).map(TaskListRoutes::source),
                        call.query(OWNER),
                        call.query(WORDS).orElse(List.of()),
                        page.order().key() == TaskOrder.Key.END);
        var found = filter.words().isEmpty() ? find(filter, page) : search(filter, page);
        var ids = found.ids();
        var rows = new TaskRows(lookup.queries(), filter, damaged, ids);
        var caller = call.caller();
        var first = summaries(rows, caller);
        var answer =
                rows.isAtEnd()
                        ? RouteResponse.ok(first)
                        : RouteResponse.rows(first, () -> summaries(rows, caller));
        var counted =
                withDamaged(answer, rows.leftOut())
                        .with("X-Total-Count", Long.toString(found.total()));
        return ids.size() < page.limit().orElseThrow()
                ? counted
                : counted.with("Link", next(call, page, ids.getLast()));
    }

    private static RouteResponse withDamaged(RouteResponse answer, List<TaskId> damaged) {
        return damaged.isEmpty()
                ? answer
                : answer.with(
                        "X-Damaged-Tasks",
                        damaged.stream().map(TaskId::toString).collect(Collectors.joining(",")));
    }

    /** The ids of a page, and the number of tasks on all pages. */
    private record FoundTasks(long total, List<TaskId> ids) {}

    private FoundTasks find(Filter filter, Page page) throws StoreFailure {
        return new FoundTasks(lookup.queries().count(filter), lookup.queries().ids(filter, page));
    }

    /**
     * A search reads every task. It reads each of them once: the page ends somewhere, and the count
     * continues there.
     */
    private FoundTasks search(Filter filter, Page page) throws RejectedException, StoreFailure {
        try (var _ = searches.begin()) {
            if (!page.isFirst()) {
                return find(filter, page);
            }
            var queries = lookup.queries();
            var ids = queries.ids(filter, page);
            long more =
                    ids.size() < page.limit().orElseThrow()
                            ? 0
                            : queries.countFollowing(filter, page.order(), ids.getLast());
            return new FoundTasks(ids.size() + more, ids);
        }
    }

    private Page page(RouteRequest call) throws RejectedException, StoreFailure {
        var after = call.query(AFTER);
        var order =
                call.query(SORT)
                        .map(ORDERS::get)
                        .orElse(
                                after.isPresent()
                                        ? TaskOrder.OLDEST_FIRST
                                        : TaskOrder.NEWEST_FIRST);
        if (order.key() != TaskOrder.Key.ID && after.orElse(0L) > 0) {
            requirePlace(new TaskId(after.get()), order);
        }
        return new Page(
                OptionalInt.of(call.query(LIMIT).orElse(MAX_ROWS).intValue()),
                call.query(BEFORE).map(TaskId::new),
                after.map(OptionalLong::of).orElse(OptionalLong.empty()),
                order);
    }

    /**
     * A removed task has no place in the order, so its next page cannot be found. Nor has a task
     * that has not ended in the order of ends.
     */
    private void requirePlace(TaskId after, TaskOrder order)
            throws RejectedException, StoreFailure {
        var rows = new TaskRows(lookup.queries(), Filter.ALL, damaged, List.of(after));
        var found = rows.next();
        if (!rows.leftOut().isEmpty()) {
            // Its row is still in the index of the order.
            return;
        }
        if (found.isEmpty()) {
            throw new RejectedException(
                    Rejected.invalid("after.gone", "after").with("task", after));
        }
        boolean isEnded = found.getFirst().task().state().isFinal();
        if (order.key() == TaskOrder.Key.END && !isEnded) {
            throw new RejectedException(
                    Rejected.invalid("after.not_ended", "after").with("task", after));
        }
    }

    private List<TaskSummary> summaries(TaskRows rows, Caller caller) throws StoreFailure {
        return rows.next().stream()
                .map(one -> words.summary(one, lookup.access().viewOf(caller, one.task().owner())))
                .toList();
    }

    private static String next(RouteRequest call, Page page, TaskId last) throws RejectedException {
        boolean isNewestFirst = page.order().equals(TaskOrder.NEWEST_FIRST);
        var query = new StringBuilder("/api/tasks?limit=" + page.limit().orElseThrow());
        query.append(isNewestFirst ? "&before=" : "&after=").append(last);
        if (!isNewestFirst) {
            add(query, "before", call.query(BEFORE));
        }
        add(query, "status", call.query(STATUS));
        add(query, "source", call.query(SOURCE));
        add(query, "owner", call.query(OWNER));
        add(query, "q", call.query(WORDS).map(words -> String.join(" ", words)));
        add(query, "sort", call.query(SORT));
        return "<" + query + ">; rel=\"next\"";
    }

    private static void add(StringBuilder query, String name, Optional<?> value) {
        value.ifPresent(
                given ->
                        query.append('&')
                                .append(name)
                                .append('=')
                                .append(
                                        URLEncoder.encode(
                                                given.toString(), StandardCharsets.UTF_8)));
    }

    private static List<String> words(String text) throws RejectedException {
        var words =
                Arrays.stream(text.strip().split("\\s+")).filter(one -> !one.isEmpty()).toList();
        if (words.size() > MAX_WORDS || text.length() > MAX_TEXT) {
            throw new RejectedException(
                    Rejected.invalid("q.invalid", "q")
                            .with("max_words", MAX_WORDS)
                            .with("max", MAX_TEXT));
        }
        return words;
    }

    private static String word(TaskSource source) {
        return source.name().toLowerCase(Locale.ROOT);
    }

    private static TaskSource source(String word) {
        return TaskSource.valueOf(word.toUpperCase(Locale.ROOT));
    }
}
