package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.predict.Learned;
import dev.berth.core.predict.PastRun;
import dev.berth.core.predict.RunKind;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Owner;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiConsumer;

/** Reads the columns of ended runs that predictions use. */
final class EndedRunsQuery {

    /** A task counts its attempts, so the count is the number of the latest. */
    private static final String RUNS =
            """
            SELECT t.id AS id, t.name AS name, t.owner_principal AS principal,
                   t.owner_name AS owner, t.gpu_count AS gpus, t.gpu_most AS most,
                   t.gpu_type AS type, t.model_name AS model, t.task_type AS kind,
                   t.structure_n_atoms AS atoms, t.is_call AS is_call, t.status AS status,
                   t.command_hash AS command,
                   coalesce(t.pattern_hash, t.command_hash) AS pattern,
                   CASE WHEN t.is_call = 1 THEN a.granted_at ELSE a.started_at END AS started,
                   a.ended_at AS ended, a.peak_mib AS peak
            FROM (SELECT * FROM tasks
                  WHERE status IN ('completed', 'failed', 'cancelled') AND source <> 'worker'
                  ORDER BY id DESC LIMIT ?) t
            JOIN attempt a ON a.task = t.id AND a.number = t.attempts
            WHERE a.ended_at IS NOT NULL
              AND a.ending NOT IN ('machine_restarted', 'never_started', 'machine_fault')
            ORDER BY t.id
            """;

    private final SortedMap<Long, Instant> forgotten;
    private final BiConsumer<RunKind, PastRun> consumer;

    private EndedRunsQuery(
            SortedMap<Long, Instant> forgotten, BiConsumer<RunKind, PastRun> consumer) {
        this.forgotten = forgotten;
        this.consumer = consumer;
    }

    static void read(SqlSession session, int maxTasks, BiConsumer<RunKind, PastRun> consumer)
            throws SQLException {
        var query = new EndedRunsQuery(ForgottenRunsRow.readAll(session), consumer);
        try (var row = session.prepared(RUNS).add(maxTasks).query()) {
            query.readAll(row);
        }
    }

    private void readAll(ResultRow row) throws SQLException {
        var id = row.column("id");
        var status = row.column("status");
        var started = row.column("started");
        var ended = row.column("ended");
        var peak = row.column("peak");
        var kinds = new KindColumns(row);
        while (row.next()) {
            var start = row.optionalTime(started);
            if (start.isPresent()) {
                var kind = kinds.read();
                var end = row.time(ended);
                add(
                        kind,
                        new PastRun(
                                new TaskId(row.number(id)),
                                kind.fingerprint(),
                                kind.command(),
                                end,
                                Duration.between(start.get(), end),
                                row.text(status).equals("completed"),
                                row.optionalNumber(peak)));
            }
        }
    }

    private void add(RunKind kind, PastRun run) {
        if (!isForgotten(run, run.fingerprint()) && !isForgotten(run, Learned.ALL)) {
            consumer.accept(kind, run);
        }
    }

    private boolean isForgotten(PastRun run, long fingerprint) {
        var until = forgotten.get(fingerprint);
        return until != null && !run.endedAt().isAfter(until);
    }

    /** The columns of a kind; a lookup by name for each row would take longer than the rest. */
    private record KindColumns(
            ResultRow row,
            Column name,
            Column principal,
            Column owner,
            Column gpus,
            Column most,
            Column type,
            Column command,
            Column pattern,
            WorkColumns work) {

        KindColumns(ResultRow row) throws SQLException {
            this(
                    row,
                    row.column("name"),
                    row.column("principal"),
                    row.column("owner"),
                    row.column("gpus"),
                    row.column("most"),
                    row.column("type"),
                    row.column("command"),
                    row.column("pattern"),
                    new WorkColumns(row));
        }

        RunKind read() throws SQLException {
            return new RunKind(
                    new Owner(row.text(principal), row.text(owner)),
                    row.text(name),
                    row.number(command),
                    row.number(pattern),
                    RunKind.gpuCount(row.smallNumber(gpus), row.smallNumber(most)),
                    row.optionalText(type),
                    work.read());
        }
    }

    private record WorkColumns(
            ResultRow row, Column model, Column kind, Column atoms, Column isCall) {

        WorkColumns(ResultRow row) throws SQLException {
            this(
                    row,
                    row.column("model"),
                    row.column("kind"),
                    row.column("atoms"),
                    row.column("is_call"));
        }

        Optional<ModelWork> read() throws SQLException {
            var modelName = row.optionalText(model);
            var taskKind = row.optionalText(kind);
            boolean call = row.optionalNumber(isCall).orElse(0) == 1;
            return modelName.isPresent() || taskKind.isPresent()
                    ? Optional.of(
                            new ModelWork(
                                    modelName,
                                    taskKind,
                                    row.optionalSmallNumber(atoms).orElse(0),
                                    call))
                    : Optional.empty();
        }
    }
}
