package dev.berth.cli.command;

import dev.berth.cli.call.Refused;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Amount;
import dev.berth.wire.TaskSummary;

import org.jspecify.annotations.Nullable;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The server's list of tasks, newest first, read no further than needed. */
final class TaskList {

    private static final int PAGE = 1000;

    /** A task as the server wrote it and as we read it. */
    record Row(@Nullable Object json, TaskSummary task) {}

    private final Link link;
    private final Map<String, Integer> leftOut = new TreeMap<>();

    TaskList(Link link) {
        this.link = link;
    }

    /** Newest first, as the server does. */
    static void sort(List<Row> rows) {
        rows.sort((one, other) -> Long.compare(other.task().id(), one.task().id()));
    }

    /** At most {@code most}, of one status or of any if it is empty. */
    List<Row> newest(String status, int most) {
        List<Row> rows = new ArrayList<>();
        while (rows.size() < most) {
            int limit = Math.min(PAGE, most - rows.size());
            String query = "limit=" + limit;
            if (!status.isEmpty()) {
                query += "&status=" + URLEncoder.encode(status, StandardCharsets.UTF_8);
            }
            if (!rows.isEmpty()) {
                query += "&before=" + rows.getLast().task().id();
            }
            List<Row> page = page(link.get("/api/tasks?" + query));
            rows.addAll(page);
            if (page.size() < limit) {
                break;
            }
        }
        return rows;
    }

    /** The newest of one status; how many there are besides is remembered. */
    List<Row> some(String status, int most) {
        Reply reply = link.get("/api/tasks?status=" + status + "&limit=" + most);
        List<Row> rows = page(reply);
        int more = Amount.count(reply.header("x-total-count")).orElse(0) - rows.size();
        if (more > 0) {
            leftOut.put(status, more);
        }
        return rows;
    }

    /** The newest of those that have ended, however they did. */
    List<Row> finished(int most) {
        List<Row> rows = newest("completed", most);
        rows.addAll(newest("failed", most));
        rows.addAll(newest("cancelled", most));
        sort(rows);
        return new ArrayList<>(rows.subList(0, Math.min(most, rows.size())));
    }

    /** How many were not read, by status. */
    Map<String, Integer> leftOut() {
        return leftOut;
    }

    private List<Row> page(Reply reply) {
        if (!(link.json(reply) instanceof List<?> tasks)) {
            throw new Refused("the server sent no list of tasks");
        }
        List<Row> rows = new ArrayList<>(tasks.size());
        for (Object task : tasks) {
            rows.add(new Row(task, WireReader.summary(task)));
        }
        return rows;
    }
}
