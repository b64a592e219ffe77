package dev.berth.store;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.port.read.GpuRun;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The attempts of ended tasks that held GPUs within a period. */
final class GpuRunQuery {

    private static final String SEPARATOR = ",";

    /** By the index over the ends of tasks. */
    private static final String RUNS =
            """
            SELECT a.task AS task, a.number AS number, t.name AS name, t.owner_name AS owner,
                   CASE WHEN a.number < t.attempts THEN 'failed' ELSE t.status END AS status,
                   a.node AS node, a.granted_at AS start_us, a.ended_at AS end_us,
                   (SELECT group_concat(c.card_uuid) FROM claim c
                    WHERE c.task = a.task AND c.number = a.number) AS gpus
            FROM tasks t JOIN attempt a ON a.task = t.id
            WHERE t.finished_at > ? AND t.source <> 'worker'
              AND a.granted_at < ? AND a.ended_at > ?
              AND EXISTS (SELECT 1 FROM claim c WHERE c.task = a.task AND c.number = a.number)
            ORDER BY t.finished_at DESC, a.task DESC, a.number DESC
            LIMIT ?
            """;

    private GpuRunQuery() {}

    static List<GpuRun> read(SqlSession session, Instant from, Instant to, int limit)
            throws SQLException {
        var query = session.prepared(RUNS).add(Micros.of(from)).add(Micros.of(to));
        try (var row = query.add(Micros.of(from)).add(limit).query()) {
            var task = row.column("task");
            var number = row.column("number");
            var name = row.column("name");
            var owner = row.column("owner");
            var status = row.column("status");
            var node = row.column("node");
            var start = row.column("start_us");
            var end = row.column("end_us");
            var gpus = row.column("gpus");
            var runs = new ArrayList<GpuRun>();
            while (row.next()) {
                runs.add(
                        new GpuRun(
                                new AttemptId(
                                        new TaskId(row.number(task)), row.smallNumber(number)),
                                row.text(name),
                                row.text(owner),
                                row.text(status),
                                gpus(row.text(node), row.text(gpus)),
                                Micros.instant(row.number(start)),
                                Micros.instant(row.number(end))));
            }
            return runs;
        }
    }

    private static List<GpuId> gpus(String node, String uuids) {
        return Arrays.stream(uuids.split(SEPARATOR, -1))
                .map(uuid -> new GpuId(node, uuid))
                .sorted()
                .toList();
    }
}
