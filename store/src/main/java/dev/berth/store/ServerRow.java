package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.port.SchedulerState;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** The single row of {@code server}. */
record ServerRow(
        long epoch,
        Optional<TaskId> lastTask,
        Optional<Instant> lastCreatedAt,
        SchedulerState scheduler) {

    private static final SqlTable SERVER = new SqlTable("server");
    private static final Column EPOCH = SERVER.column("epoch");
    private static final Column LAST_TASK = SERVER.column("last_task");
    private static final Column LAST_CREATED_AT = SERVER.column("last_created_at");

    /** The columns of the same row that describe the scheduler; they are written together. */
    private static final SqlTable SCHEDULER = new SqlTable("server");

    private static final Column RUNNING = SCHEDULER.column("scheduler_running");
    private static final Column CHANGED_AT = SCHEDULER.column("scheduler_changed_at");
    private static final Column CHANGED_BY_PRINCIPAL =
            SCHEDULER.column("scheduler_changed_by_principal");
    private static final Column CHANGED_BY_NAME = SCHEDULER.column("scheduler_changed_by_name");

    private static final String NEXT_EPOCH = "UPDATE server SET epoch = epoch + 1";
    private static final String READ_SERVER = SERVER.select();
    private static final String READ_SCHEDULER = SCHEDULER.select();
    private static final String SAVE_SCHEDULER = SCHEDULER.update();

    /**
     * The first statement of every commit: it takes the write lock, checks whether another server
     * has raised the epoch, and stores the highest id and time. SQLite does not write a row that
     * stays the same.
     */
    private static final String ADVANCE =
            "UPDATE server SET last_task = CASE WHEN last_task IS NULL OR last_task < ? THEN ? ELSE"
                    + " last_task END, last_created_at = CASE WHEN last_created_at IS NULL OR"
                    + " last_created_at < ? THEN ? ELSE last_created_at END WHERE epoch = ?";

    static ServerRow raiseEpoch(SqlSession session) throws SQLException {
        session.prepared(NEXT_EPOCH).run();
        return read(session);
    }

    static ServerRow read(SqlSession session) throws SQLException {
        var scheduler = scheduler(session);
        try (var row = single(session, READ_SERVER)) {
            var lastTask = row.optionalNumber(LAST_TASK);
            return new ServerRow(
                    row.number(EPOCH),
                    lastTask.isPresent()
                            ? Optional.of(new TaskId(lastTask.getAsLong()))
                            : Optional.empty(),
                    row.optionalTime(LAST_CREATED_AT),
                    scheduler);
        }
    }

    private static SchedulerState scheduler(SqlSession session) throws SQLException {
        try (var row = single(session, READ_SCHEDULER)) {
            boolean isRunning = row.flag(RUNNING);
            var at = row.optionalTime(CHANGED_AT);
            if (at.isEmpty()) {
                return new SchedulerState(isRunning, Optional.empty());
            }
            var by = new Owner(row.text(CHANGED_BY_PRINCIPAL), row.text(CHANGED_BY_NAME));
            return new SchedulerState(
                    isRunning, Optional.of(new SchedulerState.LastSwitch(by, at.get())));
        }
    }

    private static ResultRow single(SqlSession session, String query) throws SQLException {
        var row = session.prepared(query).query();
        if (row.next()) {
            return row;
        }
        row.close();
        throw new SQLException("the table server has no row");
    }

    static void save(SqlSession session, SchedulerState scheduler) throws SQLException {
        var row = session.prepared(SAVE_SCHEDULER).set(RUNNING, scheduler.isRunning());
        if (scheduler.lastSwitch().isPresent()) {
            var change = scheduler.lastSwitch().get();
            row.set(CHANGED_AT, change.at())
                    .set(CHANGED_BY_PRINCIPAL, change.by().principal())
                    .set(CHANGED_BY_NAME, change.by().name());
        }
        row.run();
    }

    /**
     * @return false if another server has raised the epoch
     */
    static boolean advance(SqlSession session, long epoch, Iterable<Task> tasks)
            throws SQLException {
        var lastTask = OptionalLong.empty();
        var lastCreatedAt = OptionalLong.empty();
        for (var task : tasks) {
            lastTask = max(lastTask, task.id().value());
            lastCreatedAt = max(lastCreatedAt, Micros.of(task.createdAt()));
        }
        return session.prepared(ADVANCE)
                        .add(lastTask)
                        .add(lastTask)
                        .add(lastCreatedAt)
                        .add(lastCreatedAt)
                        .add(epoch)
                        .run()
                == 1;
    }

    private static OptionalLong max(OptionalLong first, long other) {
        return OptionalLong.of(first.isPresent() ? Math.max(first.getAsLong(), other) : other);
    }
}
