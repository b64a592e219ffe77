package dev.berth.store;

import dev.berth.core.task.Devices;
import dev.berth.core.task.Lane;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Source;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

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
                    "gpu_most",
                    "memory_mib",
                    "share",
                    "model_name",
                    "task_type",
                    "structure_n_atoms",
                    "timeout_seconds",
                    "work_dir",
                    "created_at",
                    "queued_at",
                    "running_attempt",
                    "finished_at",
                    "error",
                    "attempts",
                    "retries",
                    "not_before",
                    "lane",
                    "run",
                    "lane_index",
                    "lane_multi",
                    "max_retries",
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
        work(row, spec.work());
        row.number(seconds(spec.timeLimit()))
                .text(spec.workDir())
                .time(task.createdAt())
                .number(Micros.of(task.queuedAt()));
        state(row, task.state());
        row.number(task.attempts()).number(task.retries()).number(Micros.of(task.notBefore()));
        lane(row, spec.lane());
        row.number(wide(spec.mostRetries()))
                .text(JsonText.of(spec.environment()))
                .text(spec.command())
                .run();
    }

    private static void need(Params row, Need need) throws SQLException {
        switch (need) {
            case Need.Cpu _ -> row.text("cpu").none().number(0).number(0).none().flag(false);
            case Need.Cards(var count, var type, var devices, var memory) ->
                    row.text(devices.map(Devices::word).orElse("auto"))
                            .text(type)
                            .number(count.least())
                            .number(count.most())
                            .number(memory.mib())
                            .flag(memory.isShared());
        }
    }

    private static void work(Params row, Optional<ModelWork> work) throws SQLException {
        if (work.isPresent()) {
            row.text(work.get().model()).text(work.get().kind()).number(work.get().atoms());
        } else {
            row.none(3);
        }
    }

    private static void lane(Params row, Optional<Lane> lane) throws SQLException {
        row.text(lane.map(Lane::word));
        if (lane.isPresent() && lane.get() instanceof Lane.OfRun place) {
            row.number(place.run()).number(place.index()).flag(place.isMulti());
        } else {
            row.none(2).flag(false);
        }
    }

    private static OptionalLong wide(OptionalInt number) {
        return number.isPresent() ? OptionalLong.of(number.getAsInt()) : OptionalLong.empty();
    }

    private static OptionalLong seconds(Optional<Duration> limit) {
        return limit.isPresent() ? OptionalLong.of(limit.get().toSeconds()) : OptionalLong.empty();
    }

    private static void state(Params row, TaskState state) throws SQLException {
        switch (state) {
            case TaskState.Pending _, TaskState.Queued _ -> row.none(3);
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
        var work = work(row);
        var timeLimit = limit(row.optionalNumber());
        var workDir = row.text();
        var createdAt = row.time();
        var queuedAt = Micros.instant(row.optionalNumber());
        var state = state(status, row);
        int attempts = row.smallNumber();
        int retries = row.smallNumber();
        var notBefore = Micros.instant(row.optionalNumber());
        var lane = lane(row);
        var mostRetries = narrow(row.optionalNumber());
        var environment = JsonText.read(row.text());
        var spec =
                new TaskSpec(
                        name,
                        row.text(),
                        need,
                        work,
                        timeLimit,
                        priority,
                        source,
                        workDir,
                        environment,
                        lane,
                        mostRetries);
        return new Task(id, owner, spec, createdAt, queuedAt, state, attempts, retries, notBefore);
    }

    private static Optional<Lane> lane(Fields row) throws SQLException {
        var word = row.optionalText();
        var run = row.optionalNumber();
        var index = row.optionalNumber();
        boolean isMulti = row.flag();
        if (run.isEmpty()) {
            return word.map(Lane.Named::new);
        }
        var queue = word.orElseThrow().substring(word.get().indexOf('/') + 1);
        return Optional.of(
                new Lane.OfRun(
                        run.getAsLong(),
                        Integer.parseInt(queue),
                        Math.toIntExact(index.orElse(0)),
                        isMulti));
    }

    private static OptionalInt narrow(OptionalLong number) {
        return number.isPresent()
                ? OptionalInt.of(Math.toIntExact(number.getAsLong()))
                : OptionalInt.empty();
    }

    private static Need need(Fields row) throws SQLException {
        var devices = row.text();
        if (devices.equals("cpu")) {
            row.skip(5);
            return Need.CPU;
        }
        var type = row.optionalText();
        var count = new Need.Count(row.smallNumber(), row.smallNumber());
        var memory = new Need.Memory(row.optionalNumber(), row.flag());
        return new Need.Cards(count, type, devices(devices), memory);
    }

    private static Optional<Devices> devices(String word) throws SQLException {
        try {
            return word.equals("auto") ? Optional.empty() : Optional.of(Devices.parse(word));
        } catch (IllegalArgumentException e) {
            throw new SQLException("unknown devices " + word, e);
        }
    }

    private static Optional<ModelWork> work(Fields row) throws SQLException {
        var model = row.optionalText();
        var kind = row.optionalText();
        var atoms = row.optionalNumber();
        return atoms.isEmpty()
                ? Optional.empty()
                : Optional.of(new ModelWork(model, kind, Math.toIntExact(atoms.getAsLong())));
    }

    private static Optional<Duration> limit(OptionalLong seconds) {
        return seconds.isPresent()
                ? Optional.of(Duration.ofSeconds(seconds.getAsLong()))
                : Optional.empty();
    }

    private static TaskState state(String status, Fields row) throws SQLException {
        return switch (status) {
            case "pending" -> {
                row.skip(3);
                yield new TaskState.Pending();
            }
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
