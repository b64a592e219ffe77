package dev.berth.store;

import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Scheduler;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** The one row of {@code server}. */
record ServerRow(
        long epoch,
        Optional<TaskId> lastTask,
        Optional<Instant> lastCreatedAt,
        Scheduler scheduler) {

    private static final String NEXT_EPOCH = "UPDATE server SET epoch = epoch + 1";
    private static final String READ =
            "SELECT epoch, last_task, last_created_at, scheduler_running, scheduler_changed_at,"
                    + " scheduler_changed_by_principal, scheduler_changed_by_name FROM server";
    private static final String SCHEDULER =
            "UPDATE server SET scheduler_running = ?, scheduler_changed_at = ?,"
                    + " scheduler_changed_by_principal = ?, scheduler_changed_by_name = ?";

    /**
     * The first statement of every commit: it takes the write lock, finds out whether another
     * server has raised the epoch, and remembers the highest id and time. A row that stays the same
     * is not written again.
     */
    private static final String ADVANCE =
            "UPDATE server SET last_task = CASE WHEN last_task IS NULL OR last_task < ? THEN ? ELSE"
                    + " last_task END, last_created_at = CASE WHEN last_created_at IS NULL OR"
                    + " last_created_at < ? THEN ? ELSE last_created_at END WHERE epoch = ?";

    static ServerRow raiseEpoch(Session session) throws SQLException {
        session.prepared(NEXT_EPOCH).run();
        return read(session);
    }

    static ServerRow read(Session session) throws SQLException {
        try (var row = session.prepared(READ).query()) {
            if (!row.next()) {
                throw new SQLException("the table server has no row");
            }
            return new ServerRow(
                    row.number(),
                    id(row.optionalNumber()),
                    Micros.instant(row.optionalNumber()),
                    scheduler(row));
        }
    }

    private static Optional<TaskId> id(OptionalLong value) {
        return value.isPresent() ? Optional.of(new TaskId(value.getAsLong())) : Optional.empty();
    }

    private static Scheduler scheduler(Fields row) throws SQLException {
        boolean isRunning = row.flag();
        var at = Micros.instant(row.optionalNumber());
        return at.isEmpty()
                ? new Scheduler(isRunning, Optional.empty())
                : new Scheduler(
                        isRunning,
                        Optional.of(
                                new Scheduler.Turn(new Owner(row.text(), row.text()), at.get())));
    }

    static void save(Session session, Scheduler scheduler) throws SQLException {
        var row = session.prepared(SCHEDULER).flag(scheduler.isRunning());
        if (scheduler.last().isPresent()) {
            var turn = scheduler.last().get();
            row.time(turn.at()).text(turn.by().principal()).text(turn.by().name()).run();
        } else {
            row.none(3).run();
        }
    }

    /**
     * @return false if the epoch is no longer this one
     */
    static boolean advance(Session session, long epoch, Iterable<Task> tasks) throws SQLException {
        var lastTask = OptionalLong.empty();
        var lastCreatedAt = OptionalLong.empty();
        for (var task : tasks) {
            lastTask = later(lastTask, task.id().value());
            lastCreatedAt = later(lastCreatedAt, Micros.of(task.createdAt()));
        }
        return session.prepared(ADVANCE)
                        .number(lastTask)
                        .number(lastTask)
                        .number(lastCreatedAt)
                        .number(lastCreatedAt)
                        .number(epoch)
                        .run()
                == 1;
    }

    private static OptionalLong later(OptionalLong one, long other) {
        return OptionalLong.of(one.isPresent() ? Math.max(one.getAsLong(), other) : other);
    }
}
