package dev.berth.store;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.LaneRun.Stage;
import dev.berth.core.lane.Mode;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskId;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A started command file as a row of {@code run}. */
final class RunRow {

    static final List<String> COLUMNS =
            List.of(
                    "id",
                    "mode",
                    "config_index",
                    "file",
                    "origin",
                    "owner_principal",
                    "owner_name",
                    "started_at",
                    "first_task",
                    "tasks",
                    "stage",
                    "since");

    private static final String UPSERT = Sql.upsert("run", 1, COLUMNS);

    private RunRow() {}

    static void save(Session session, LaneRun run) throws SQLException {
        var row =
                session.prepared(UPSERT)
                        .number(run.id())
                        .text(Words.of(run.mode()))
                        .number(
                                run.config().isPresent()
                                        ? OptionalLong.of(run.config().getAsInt())
                                        : OptionalLong.empty())
                        .text(run.file())
                        .text(Words.of(run.origin()))
                        .text(run.owner().principal())
                        .text(run.owner().name())
                        .time(run.startedAt())
                        .number(run.first().value())
                        .number(run.count())
                        .text(run.stage().word());
        switch (run.stage()) {
            case Stage.Live _ -> row.none();
            case Stage.Stopping(var since) -> row.time(since);
            case Stage.Finished(var at) -> row.time(at);
            case Stage.Stopped(var at) -> row.time(at);
        }
        row.run();
    }

    static List<LaneRun> readAll(Fields row) throws SQLException {
        var runs = new ArrayList<LaneRun>();
        while (row.next()) {
            runs.add(read(row));
        }
        return runs;
    }

    private static LaneRun read(Fields row) throws SQLException {
        return new LaneRun(
                row.number(),
                Words.value(Mode.class, row.text()),
                index(row.optionalNumber()),
                row.text(),
                Words.value(LaneRun.Origin.class, row.text()),
                new Owner(row.text(), row.text()),
                row.time(),
                new TaskId(row.number()),
                row.smallNumber(),
                stage(row));
    }

    private static OptionalInt index(OptionalLong number) {
        return number.isPresent()
                ? OptionalInt.of(Math.toIntExact(number.getAsLong()))
                : OptionalInt.empty();
    }

    private static Stage stage(Fields row) throws SQLException {
        var word = row.text();
        return switch (word) {
            case "running" -> new Stage.Live();
            case "stopping" -> new Stage.Stopping(row.time());
            case "finished" -> new Stage.Finished(row.time());
            case "stopped" -> new Stage.Stopped(row.time());
            default -> throw new SQLException("unknown stage of a run: " + word);
        };
    }
}
