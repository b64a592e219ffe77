package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.port.SchedulerState;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/**
 * The single row of {@code server}. The writer keeps it in memory and writes it whole with each
 * commit.
 *
 * @param isAllChecked every row has a checksum, so a row without one is damaged
 */
record ServerRow(
        Generation generation,
        Optional<Instant> lastCreatedAt,
        SchedulerState scheduler,
        boolean isAllChecked) {

    static final SqlTable TABLE = SqlTable.checked("server");

    private static final Column EPOCH = TABLE.column("epoch");
    private static final Column LAST_TASK = TABLE.column("last_task");
    private static final Column LAST_CREATED_AT = TABLE.column("last_created_at");
    private static final Column RUNNING = TABLE.column("scheduler_running");
    private static final Column CHANGED_AT = TABLE.column("scheduler_changed_at");
    private static final Column CHANGED_BY_PRINCIPAL =
            TABLE.column("scheduler_changed_by_principal");
    private static final Column CHANGED_BY_NAME = TABLE.column("scheduler_changed_by_name");
    private static final Column DATABASE_ID = TABLE.column("database_id");
    private static final Column COMMITS = TABLE.column("commits");
    private static final Column ALL_CHECKED = TABLE.column("all_checked");

    /** SQLite does not write a row that stays the same, but takes the write lock. */
    private static final String LOCK = "UPDATE server SET epoch = epoch";

    private static final String READ = TABLE.select();
    private static final SqlTable.RowWrite SAVE = TABLE.update("epoch = ?");

    /**
     * Not part of the checksum: it is set in a backup and removed when that is restored, and both
     * leave the row as it is.
     */
    private static final String BACKUP_AT = "SELECT backup_at FROM server";

    private static final String SET_BACKUP_AT = "UPDATE server SET backup_at = ?";

    /** Takes the write lock, so that what is read next cannot be changed before the commit. */
    static void lock(SqlSession session) throws SQLException {
        session.prepared(LOCK).run();
    }

    static ServerRow raiseEpoch(SqlSession session) throws SQLException {
        lock(session);
        var before = read(session);
        var raised = before.with(before.generation.withNextEpoch());
        raised.replace(session, before.epoch());
        return raised;
    }

    /**
     * Makes this database the newest of its home.
     *
     * @param atLeast the highest known number of commits and task id
     */
    static void raiseTo(SqlSession session, Generation atLeast, Optional<SchedulerState> scheduler)
            throws SQLException {
        lock(session);
        var before = read(session);
        new ServerRow(
                        before.generation.above(atLeast),
                        before.lastCreatedAt,
                        scheduler.orElse(before.scheduler),
                        before.isAllChecked)
                .replace(session, before.epoch());
    }

    long epoch() {
        return generation.epoch();
    }

    Optional<TaskId> lastTask() {
        return generation.lastTask() > 0
                ? Optional.of(new TaskId(generation.lastTask()))
                : Optional.empty();
    }

    ServerRow with(Generation other) {
        return new ServerRow(other, lastCreatedAt, scheduler, isAllChecked);
    }

    static ServerRow read(SqlSession session) throws SQLException {
        try (var row = session.prepared(READ).query()) {
            if (!row.next()) {
                throw new SQLException("the table server has no row");
            }
            var generation =
                    new Generation(
                            row.optionalText(DATABASE_ID).orElse(""),
                            row.number(EPOCH),
                            row.optionalNumber(COMMITS).orElse(0),
                            row.optionalNumber(LAST_TASK).orElse(0));
            return new ServerRow(
                    generation,
                    row.optionalTime(LAST_CREATED_AT),
                    scheduler(row),
                    row.flag(ALL_CHECKED));
        }
    }

    private static SchedulerState scheduler(ResultRow row) throws SQLException {
        boolean isRunning = row.flag(RUNNING);
        var at = row.optionalTime(CHANGED_AT);
        if (at.isEmpty()) {
            return new SchedulerState(isRunning, Optional.empty());
        }
        var by = new Owner(row.text(CHANGED_BY_PRINCIPAL), row.text(CHANGED_BY_NAME));
        return new SchedulerState(
                isRunning, Optional.of(new SchedulerState.LastSwitch(by, at.get())));
    }

    /**
     * The row of the next commit: with the highest id and creation time of these tasks, where they
     * are higher.
     */
    ServerRow advancedBy(Iterable<Task> tasks, Optional<SchedulerState> newScheduler) {
        long lastTask = generation.lastTask();
        var createdAt = lastCreatedAt;
        for (var each : tasks) {
            lastTask = Math.max(lastTask, each.id().value());
            createdAt = Optional.of(max(createdAt, each.createdAt()));
        }
        return new ServerRow(
                generation.withNextCommit(lastTask),
                createdAt,
                newScheduler.orElse(scheduler),
                isAllChecked);
    }

    private static <T extends Comparable<T>> T max(Optional<T> first, T other) {
        return first.isPresent() && first.get().compareTo(other) >= 0 ? first.get() : other;
    }

    ServerRow allChecked() {
        return new ServerRow(generation, lastCreatedAt, scheduler, true);
    }

    /**
     * The first statement of every commit: it takes the write lock, and checks whether another
     * server has raised the epoch.
     *
     * @return false if another server has raised the epoch
     */
    boolean save(SqlSession session) throws SQLException {
        return replace(session, epoch());
    }

    private boolean replace(SqlSession session, long oldEpoch) throws SQLException {
        var row =
                session.prepared(SAVE)
                        .set(EPOCH, epoch())
                        .set(DATABASE_ID, generation.databaseId())
                        .set(COMMITS, generation.commits())
                        .setTime(LAST_CREATED_AT, lastCreatedAt)
                        .set(RUNNING, scheduler.isRunning());
        if (generation.lastTask() > 0) {
            row.set(LAST_TASK, generation.lastTask());
        }
        if (scheduler.lastSwitch().isPresent()) {
            var change = scheduler.lastSwitch().get();
            row.set(CHANGED_AT, change.at())
                    .set(CHANGED_BY_PRINCIPAL, change.by().principal())
                    .set(CHANGED_BY_NAME, change.by().name());
        }
        if (isAllChecked) {
            row.set(ALL_CHECKED, true);
        }
        return row.add(oldEpoch).run() == 1;
    }

    /** When this copy of a database was made; absent in the database of a home. */
    static Optional<Instant> backupAt(SqlSession session) throws SQLException {
        try (var row = session.prepared(BACKUP_AT).query()) {
            return row.next() ? row.optionalTime(row.column("backup_at")) : Optional.empty();
        }
    }

    static void setBackupAt(SqlSession session, Instant at) throws SQLException {
        session.prepared(SET_BACKUP_AT).add(Micros.of(at)).run();
    }
}
