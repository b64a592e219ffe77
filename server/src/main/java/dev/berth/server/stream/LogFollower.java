package dev.berth.server.stream;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs;
import dev.berth.engine.port.TaskLogs.LogUnreadable;
import dev.berth.engine.port.TaskLogs.Piece;
import dev.berth.engine.port.TaskQueries;
import dev.berth.wire.LogLines;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads a task's log as it grows, from one attempt to the next, until the task is over. */
public final class LogFollower {

    private static final long SOON_NANOS = Duration.ofMillis(50).toNanos();
    private static final long LATER_NANOS = Duration.ofMillis(400).toNanos();

    private final Sources sources;
    private final TaskId task;
    private Optional<AttemptId> attempt = Optional.empty();
    private long offset;
    private long shownTo = -1;
    private boolean isOver;
    private boolean isEnded;
    private long pauseNanos = SOON_NANOS;

    /** Where it looks. */
    public record Sources(EngineLoop engine, TaskQueries queries, TaskLogs logs) {}

    /**
     * @param from the offset of the first byte that is wanted of the attempt there is now
     */
    public LogFollower(Sources sources, TaskId task, long from) {
        this.sources = sources;
        this.task = task;
        this.offset = from;
    }

    /** Nothing will come any more. */
    boolean isEnded() {
        return isEnded;
    }

    /** How long to wait before the next look: shorter while something comes. */
    long pauseNanos() {
        return pauseNanos;
    }

    /** What is new. */
    Optional<LogLines> look() throws StoreFailure, LogUnreadable {
        if (isEnded) {
            return Optional.empty();
        }
        // First whether it is over, then the log: so nothing can be printed after the last look.
        turnToLatest();
        var found = attempt.isPresent() ? read(attempt.get()) : Optional.<LogLines>empty();
        if (found.isEmpty() && isOver) {
            isEnded = true;
            return Optional.of(told(new Piece(List.of(), false, false, offset), false));
        }
        pauseNanos = found.isPresent() ? SOON_NANOS : Math.min(LATER_NANOS, pauseNanos * 2);
        return found;
    }

    /** Says that it cannot go on; whoever wants more begins anew at the offset. */
    LogLines giveUp(LogUnreadable why) {
        isEnded = true;
        return new LogLines(
                task.value(),
                attempt.map(AttemptId::number).orElse(null),
                List.of(),
                offset,
                false,
                false,
                true,
                "The log cannot be read now: " + why.getMessage());
    }

    private void turnToLatest() throws StoreFailure {
        if (isOver) {
            return;
        }
        var live = sources.engine().state().tasks().get(task);
        Optional<AttemptId> latest;
        if (live.isPresent()) {
            latest = latest(live.get());
        } else {
            latest = sources.queries().find(task).flatMap(found -> latest(found.task()));
            isOver = true;
        }
        if (!latest.equals(attempt)) {
            offset = attempt.isEmpty() ? offset : 0;
            attempt = latest;
            shownTo = -1;
        }
    }

    /** A task counts its attempts, so the count is the number of the latest. */
    private static Optional<AttemptId> latest(Task task) {
        return task.attempts() == 0
                ? Optional.empty()
                : Optional.of(new AttemptId(task.id(), task.attempts()));
    }

    private Optional<LogLines> read(AttemptId of) throws LogUnreadable {
        var all = sources.logs().from(of, offset, true);
        if (all.nextOffset() < offset) {
            // The task has begun its log anew.
            offset = 0;
            shownTo = -1;
            return Optional.of(told(new Piece(List.of(), false, true, 0), false));
        }
        if (all.nextOffset() == shownTo || (all.lines().isEmpty() && all.nextOffset() == offset)) {
            return finished(all);
        }
        var whole = sources.logs().from(of, offset, false);
        var isPartial = whole.nextOffset() < all.nextOffset() && !isOver;
        var shown = whole.nextOffset() < all.nextOffset() ? all : whole;
        offset = isPartial ? whole.nextOffset() : shown.nextOffset();
        shownTo = shown.nextOffset();
        return Optional.of(told(shown, isPartial));
    }

    /** A last line that was shown as unfinished is finished when its task is. */
    private Optional<LogLines> finished(Piece all) {
        if (!isOver || all.lines().isEmpty() || all.nextOffset() == offset) {
            return Optional.empty();
        }
        offset = all.nextOffset();
        return Optional.of(told(all, false));
    }

    private LogLines told(Piece piece, boolean isPartial) {
        return new LogLines(
                task.value(),
                attempt.map(AttemptId::number).orElse(null),
                piece.lines(),
                offset,
                isPartial,
                piece.gap(),
                isEnded,
                null);
    }
}
