package dev.berth.store;

import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Source;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** A task as a row of {@code tasks}. */
final class TaskRow {

    static final List<String> COLUMNS =
            List.of(
                    "id",
                    "name",
                    "status",
                    "priority",
                    "owner_principal",
                    "owner_name",
                    "source",
                    "devices",
                    "gpu_type",
                    "gpu_count",
                    "memory_mib",
                    "work_dir",
                    "created_at",
                    "running_attempt",
                    "finished_at",
                    "error",
                    "attempts",
                    "retries",
                    "environment",
                    "command");

    static final String UPSERT = Sql.upsert("tasks", 1, COLUMNS);

    private TaskRow() {}

    static void save(Session session, Task task) throws SQLException {
        var spec = task.spec();
        var row =
                session.prepared(UPSERT)
                        .number(task.id().value())
                        .text(spec.name())
                        .text(task.state().word())
                        .text(spec.priority().name())
                        .text(task.owner().principal())
                        .text(task.owner().name())
                        .text(Words.of(spec.source()));
        need(row, spec.need());
        row.text(spec.workDir()).time(task.createdAt());
        state(row, task.state());
        row.number(task.attempts())
                .number(task.retries())
                .text(JsonText.of(spec.environment()))
                .text(spec.command())
                .run();
    }

    private static void need(Params row, Need need) throws SQLException {
        switch (need) {
            case Need.Cpu _ -> row.text("cpu").none().number(0).none();
            case Need.Cards(int count, var model, var memoryMib) ->
                    row.text("auto").text(model).number(count).number(memoryMib);
        }
    }

    private static void state(Params row, TaskState state) throws SQLException {
        switch (state) {
            case TaskState.Queued _ -> row.none(3);
            case TaskState.Running(int number) -> row.number(number).none(2);
            case TaskState.Completed(Instant at) -> row.none().time(at).none();
            case TaskState.Failed(Instant at, String error) -> row.none().time(at).text(error);
            case TaskState.Cancelled(Instant at) -> row.none().time(at).none();
        }
    }

    static Task read(Fields row) throws SQLException {
        var id = new TaskId(row.number());
        var name = row.text();
        var status = row.text();
        var priority = Priority.valueOf(row.text());
        var owner = new Owner(row.text(), row.text());
        var source = Words.value(Source.class, row.text());
        var need = need(row);
        var workDir = row.text();
        var createdAt = row.time();
        var state = state(status, row);
        int attempts = row.smallNumber();
        int retries = row.smallNumber();
        var environment = JsonText.read(row.text());
        var spec = new TaskSpec(name, row.text(), need, priority, source, workDir, environment);
        return new Task(id, owner, spec, createdAt, state, attempts, retries);
    }

    private static Need need(Fields row) throws SQLException {
        var devices = row.text();
        return switch (devices) {
            case "cpu" -> {
                row.skip(3);
                yield Need.CPU;
            }
            case "auto" -> {
                var model = row.optionalText();
                yield new Need.Cards(row.smallNumber(), model, row.optionalNumber());
            }
            default -> throw new SQLException("unknown devices " + devices);
        };
    }

    private static TaskState state(String status, Fields row) throws SQLException {
        return switch (status) {
            case "queued" -> {
                row.skip(3);
                yield new TaskState.Queued();
            }
            case "running" -> {
                var running = new TaskState.Running(row.smallNumber());
                row.skip(2);
                yield running;
            }
            case "completed" -> {
                var completed = new TaskState.Completed(row.skip(1).time());
                row.skip(1);
                yield completed;
            }
            case "failed" -> new TaskState.Failed(row.skip(1).time(), row.text());
            case "cancelled" -> {
                var cancelled = new TaskState.Cancelled(row.skip(1).time());
                row.skip(1);
                yield cancelled;
            }
            default -> throw new SQLException("unknown status " + status);
        };
    }
}
