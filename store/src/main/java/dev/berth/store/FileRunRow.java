package dev.berth.store;

import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.commandfile.FileRun.Stage;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** One execution of a command file as a row of {@code run}. */
final class FileRunRow {

    static final SqlTable TABLE = SqlTable.checked("run");

    static final Column ID = TABLE.key("id");
    private static final Column MODE = TABLE.column("mode");
    private static final Column CONFIG_INDEX = TABLE.column("config_index");
    private static final Column FILE = TABLE.column("file");
    private static final Column ORIGIN = TABLE.column("origin");
    private static final Column OWNER_PRINCIPAL = TABLE.column("owner_principal");
    private static final Column OWNER_NAME = TABLE.column("owner_name");
    private static final Column STARTED_AT = TABLE.column("started_at");
    private static final Column FIRST_TASK = TABLE.column("first_task");
    private static final Column TASKS = TABLE.column("tasks");
    private static final Column STAGE = TABLE.column("stage");
    private static final Column SINCE = TABLE.column("since");
    private static final Column LEFT_OUT = TABLE.column("left_out");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    private FileRunRow() {}

    static void save(SqlSession session, FileRun run) throws SQLException {
        var row =
                session.prepared(UPSERT)
                        .set(ID, run.id())
                        .set(MODE, EnumText.of(run.mode()))
                        .set(CONFIG_INDEX, run.configIndex())
                        .set(FILE, run.file())
                        .set(ORIGIN, EnumText.of(run.origin()))
                        .set(OWNER_PRINCIPAL, run.owner().principal())
                        .set(OWNER_NAME, run.owner().name())
                        .set(STARTED_AT, run.startedAt())
                        .set(FIRST_TASK, run.firstTask().value())
                        .set(TASKS, run.taskCount())
                        .set(STAGE, run.stage().apiName())
                        .set(LEFT_OUT, BlockProblemsText.of(run.leftOut()));
        switch (run.stage()) {
            case Stage.Running _ -> {}
            case Stage.Stopping(var since) -> row.set(SINCE, since);
            case Stage.Finished(var at) -> row.set(SINCE, at);
            case Stage.Stopped(var at) -> row.set(SINCE, at);
        }
        row.run();
    }

    static List<FileRun> readAll(ResultRow row) throws SQLException {
        var runs = new ArrayList<FileRun>();
        while (row.next()) {
            runs.add(read(row));
        }
        return runs;
    }

    private static FileRun read(ResultRow row) throws SQLException {
        return new FileRun(
                row.number(ID),
                EnumText.parse(FileMode.class, row.text(MODE)),
                row.optionalSmallNumber(CONFIG_INDEX),
                row.text(FILE),
                EnumText.parse(FileRun.Origin.class, row.text(ORIGIN)),
                new Owner(row.text(OWNER_PRINCIPAL), row.text(OWNER_NAME)),
                row.time(STARTED_AT),
                new TaskId(row.number(FIRST_TASK)),
                row.smallNumber(TASKS),
                BlockProblemsText.read(row.optionalText(LEFT_OUT)),
                stage(row));
    }

    private static Stage stage(ResultRow row) throws SQLException {
        var stage = row.text(STAGE);
        return switch (stage) {
            case "running" -> new Stage.Running();
            case "stopping" -> new Stage.Stopping(row.time(SINCE));
            case "finished" -> new Stage.Finished(row.time(SINCE));
            case "stopped" -> new Stage.Stopped(row.time(SINCE));
            default -> throw new SQLException("unknown stage of a run: " + stage);
        };
    }
}
