package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Requirements;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A task as a row of {@code tasks}, without the text of its script. */
final class TaskRow {

    static final SqlTable TABLE = SqlTable.checked("tasks");

    private static final Column ID = TABLE.key("id");
    private static final Column NAME = TABLE.column("name");
    private static final Column STATUS = TABLE.column("status");
    private static final Column PRIORITY = TABLE.column("priority");
    private static final Column OWNER_PRINCIPAL = TABLE.column("owner_principal");
    private static final Column OWNER_NAME = TABLE.column("owner_name");
    private static final Column SOURCE = TABLE.column("source");
    private static final Column DEVICES = TABLE.column("devices");
    private static final Column GPU_TYPE = TABLE.column("gpu_type");
    private static final Column GPU_COUNT = TABLE.column("gpu_count");
    private static final Column GPU_MOST = TABLE.column("gpu_most");
    private static final Column MEMORY_MIB = TABLE.column("memory_mib");
    private static final Column SHARE = TABLE.column("share");
    private static final Column MODEL_NAME = TABLE.column("model_name");
    private static final Column TASK_TYPE = TABLE.column("task_type");
    private static final Column ATOMS = TABLE.column("structure_n_atoms");
    private static final Column TIMEOUT_SECONDS = TABLE.column("timeout_seconds");
    private static final Column WORK_DIR = TABLE.column("work_dir");
    private static final Column CREATED_AT = TABLE.column("created_at");
    private static final Column QUEUED_AT = TABLE.column("queued_at");
    private static final Column RUNNING_ATTEMPT = TABLE.column("running_attempt");
    private static final Column FINISHED_AT = TABLE.column("finished_at");
    private static final Column ERROR = TABLE.column("error");
    private static final Column ATTEMPTS = TABLE.column("attempts");
    private static final Column RETRIES = TABLE.column("retries");
    private static final Column NOT_BEFORE = TABLE.column("not_before");
    private static final Column LANE = TABLE.column("lane");
    private static final Column RUN = TABLE.column("run");
    private static final Column LANE_INDEX = TABLE.column("lane_index");
    private static final Column LANE_MULTI = TABLE.column("lane_multi");
    private static final Column MAX_RETRIES = TABLE.column("max_retries");
    private static final Column IS_CALL = TABLE.column("is_call");
    private static final Column COMMAND_HASH = TABLE.column("command_hash");
    private static final Column ENVIRONMENT_HASH = TABLE.column("environment_hash");
    private static final Column PATTERN_HASH = TABLE.column("pattern_hash");

    static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    /** These hardly ever change, and each has an index. */
    static final SqlTable.RowWrite UPDATE = TABLE.updateExcept(List.of(NAME, OWNER_NAME, SOURCE));

    private static final List<String> DELETE =
            List.of(
                    "DELETE FROM claim WHERE task = ?",
                    "DELETE FROM attempt WHERE task = ?",
                    "DELETE FROM call_result WHERE task = ?",
                    TABLE.deleteByKey());

    private TaskRow() {}

    static void save(SqlSession session, Task task) throws SQLException {
        var _ = write(session.prepared(UPSERT), task);
    }

    /**
     * False if nothing was written: there is no such task, or its name, owner or source differs.
     */
    static boolean update(SqlSession session, Task task) throws SQLException {
        return write(session.prepared(UPDATE), task) == 1;
    }

    private static int write(Parameters cleared, Task task) throws SQLException {
        var row =
                cleared.set(ID, task.id().value())
                        .set(OWNER_PRINCIPAL, task.owner().principal())
                        .set(OWNER_NAME, task.owner().name())
                        .set(CREATED_AT, task.createdAt())
                        .setTime(QUEUED_AT, task.queuedAt())
                        .set(STATUS, task.state().apiName())
                        .set(ATTEMPTS, task.attempts())
                        .set(RETRIES, task.retries())
                        .setTime(NOT_BEFORE, task.notBefore());
        setSpec(row, task.spec());
        setState(row, task.state());
        return row.run();
    }

    private static void setSpec(Parameters row, TaskSpec spec) throws SQLException {
        row.set(NAME, spec.name())
                .set(PRIORITY, spec.options().priority().name())
                .set(SOURCE, EnumText.of(spec.source()))
                .set(WORK_DIR, spec.script().workDir())
                .set(MAX_RETRIES, spec.options().maxRetries())
                .set(COMMAND_HASH, spec.script().commandHash())
                .set(PATTERN_HASH, spec.script().patternHash())
                .set(ENVIRONMENT_HASH, spec.script().environmentHash());
        if (spec.options().timeLimit().isPresent()) {
            row.set(TIMEOUT_SECONDS, spec.options().timeLimit().get().toSeconds());
        }
        setNeed(row, spec.requirements().need());
        if (spec.requirements().work().isPresent()) {
            var work = spec.requirements().work().get();
            row.set(MODEL_NAME, work.model()).set(TASK_TYPE, work.kind()).set(ATOMS, work.atoms());
            if (work.isCall()) {
                row.set(IS_CALL, true);
            }
        }
        setLane(row, spec.options().lane());
    }

    private static void setNeed(Parameters row, Need need) throws SQLException {
        switch (need) {
            case Need.Cpu _ ->
                    row.set(DEVICES, "cpu").set(GPU_COUNT, 0).set(GPU_MOST, 0).set(SHARE, false);
            case Need.Gpus(var count, var type, var devices, var memory) ->
                    row.set(DEVICES, devices.map(GpuIndices::apiName).orElse("auto"))
                            .set(GPU_TYPE, type)
                            .set(GPU_COUNT, count.min())
                            .set(GPU_MOST, count.max())
                            .set(MEMORY_MIB, memory.mib())
                            .set(SHARE, memory.isShared());
        }
    }

    private static void setLane(Parameters row, Optional<Lane> lane) throws SQLException {
        row.set(LANE, lane.map(Lane::apiName)).set(LANE_MULTI, false);
        if (lane.isPresent() && lane.get() instanceof Lane.OfFileRun fileLane) {
            row.set(RUN, fileLane.run())
                    .set(LANE_INDEX, fileLane.index())
                    .set(LANE_MULTI, fileLane.isMulti());
        }
    }

    private static void setState(Parameters row, TaskState state) throws SQLException {
        switch (state) {
            case TaskState.Pending _, TaskState.Queued _ -> {}
            case TaskState.Handed(int number) -> row.set(RUNNING_ATTEMPT, number);
            case TaskState.Running(int number) -> row.set(RUNNING_ATTEMPT, number);
            case TaskState.Completed(var at) -> row.set(FINISHED_AT, at);
            case TaskState.Failed(var at, var error) -> row.set(FINISHED_AT, at).set(ERROR, error);
            case TaskState.Cancelled(var at) -> row.set(FINISHED_AT, at);
        }
    }

    /** Its attempts and claims refer to it, so they go first. */
    static void delete(SqlSession session, TaskId id) throws SQLException {
        for (var statement : DELETE) {
            session.prepared(statement).add(id.value()).run();
        }
    }

    static Task read(ResultRow row) throws SQLException {
        return new Task(
                new TaskId(row.number(ID)),
                new Owner(row.text(OWNER_PRINCIPAL), row.text(OWNER_NAME)),
                spec(row),
                row.time(CREATED_AT),
                row.optionalTime(QUEUED_AT),
                state(row),
                row.smallNumber(ATTEMPTS),
                row.smallNumber(RETRIES),
                row.optionalTime(NOT_BEFORE));
    }

    private static TaskSpec spec(ResultRow row) throws SQLException {
        return new TaskSpec(
                row.text(NAME),
                EnumText.parse(TaskSource.class, row.text(SOURCE)),
                new Script.Stored(
                        row.text(WORK_DIR),
                        row.number(COMMAND_HASH),
                        row.optionalNumber(PATTERN_HASH).orElse(row.number(COMMAND_HASH)),
                        row.number(ENVIRONMENT_HASH)),
                new Requirements(need(row), modelWork(row)),
                new TaskOptions(
                        Priority.valueOf(row.text(PRIORITY)),
                        timeLimit(row),
                        lane(row),
                        row.optionalSmallNumber(MAX_RETRIES)));
    }

    private static Optional<Lane> lane(ResultRow row) throws SQLException {
        var lane = row.optionalText(LANE);
        var run = row.optionalNumber(RUN);
        if (run.isEmpty()) {
            return lane.map(Lane.Named::new);
        }
        var queue = lane.orElseThrow().substring(lane.get().indexOf('/') + 1);
        return Optional.of(
                new Lane.OfFileRun(
                        run.getAsLong(),
                        Integer.parseInt(queue),
                        row.optionalSmallNumber(LANE_INDEX).orElse(0),
                        row.flag(LANE_MULTI)));
    }

    private static Need need(ResultRow row) throws SQLException {
        var devices = row.text(DEVICES);
        if (devices.equals("cpu")) {
            return Need.CPU;
        }
        return new Need.Gpus(
                new Need.GpuCount(row.smallNumber(GPU_COUNT), row.smallNumber(GPU_MOST)),
                row.optionalText(GPU_TYPE),
                devices(devices),
                new Need.GpuMemory(row.optionalNumber(MEMORY_MIB), row.flag(SHARE)));
    }

    private static Optional<GpuIndices> devices(String text) throws SQLException {
        try {
            return text.equals("auto") ? Optional.empty() : Optional.of(GpuIndices.parse(text));
        } catch (IllegalArgumentException e) {
            throw new SQLException("unknown devices " + text, e);
        }
    }

    private static Optional<ModelWork> modelWork(ResultRow row) throws SQLException {
        var atoms = row.optionalSmallNumber(ATOMS);
        return atoms.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new ModelWork(
                                row.optionalText(MODEL_NAME),
                                row.optionalText(TASK_TYPE),
                                atoms.getAsInt(),
                                row.optionalNumber(IS_CALL).orElse(0) == 1));
    }

    private static Optional<Duration> timeLimit(ResultRow row) throws SQLException {
        var seconds = row.optionalNumber(TIMEOUT_SECONDS);
        return seconds.isPresent()
                ? Optional.of(Duration.ofSeconds(seconds.getAsLong()))
                : Optional.empty();
    }

    /** One that waits in a cluster has an attempt. */
    private static TaskState queued(ResultRow row) throws SQLException {
        var number = row.optionalSmallNumber(RUNNING_ATTEMPT);
        return number.isPresent()
                ? new TaskState.Handed(number.getAsInt())
                : new TaskState.Queued();
    }

    private static TaskState state(ResultRow row) throws SQLException {
        var status = row.text(STATUS);
        return switch (status) {
            case "pending" -> new TaskState.Pending();
            case "queued" -> queued(row);
            case "running" -> new TaskState.Running(row.smallNumber(RUNNING_ATTEMPT));
            case "completed" -> new TaskState.Completed(row.time(FINISHED_AT));
            case "failed" -> new TaskState.Failed(row.time(FINISHED_AT), row.text(ERROR));
            case "cancelled" -> new TaskState.Cancelled(row.time(FINISHED_AT));
            default -> throw new SQLException("unknown status " + status);
        };
    }
}
