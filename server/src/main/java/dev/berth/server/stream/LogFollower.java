package dev.berth.server.stream;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineLoop;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskLogs.LogGone;
import dev.berth.port.read.TaskLogs.LogPart;
import dev.berth.port.read.TaskLogs.LogSection;
import dev.berth.port.read.TaskLogs.LogUnreadable;
import dev.berth.port.read.TaskQueries;
import dev.berth.wire.LogLines;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads a task's log while it grows, from one attempt to the next, until the task has ended. */
public final class LogFollower {

    private static final long SOON_NANOS = Duration.ofMillis(50).toNanos();
    private static final long LATER_NANOS = Duration.ofMillis(400).toNanos();

    private final LogSources sources;
    private final TaskId task;
    private final LogPart part;
    private Optional<AttemptId> attempt = Optional.empty();
    private long offset;
    private long sentTo = -1;
    private boolean isOver;
    private boolean isEnded;
    private long pauseNanos = SOON_NANOS;

    public record LogSources(EngineLoop engine, TaskQueries queries, TaskLogs logs) {}

    /**
     * @param from byte offset in the log of the current attempt
     */
    public LogFollower(LogSources sources, TaskId task, LogPart part, long from) {
        this.sources = sources;
        this.task = task;
        this.part = part;
        this.offset = from;
    }

    /** True if no more lines will come. */
    boolean isEnded() {
        return isEnded;
    }

    /** How long to wait before the next read; shorter while the log grows. */
    long pauseNanos() {
        return pauseNanos;
    }

    /** Reads the new lines. */
    Optional<LogLines> readNew() throws StoreFailure, LogUnreadable {
        if (isEnded) {
            return Optional.empty();
        }
        // The task's state is read before its log, so no output can follow the last read.
        switchToLatestAttempt();
        var found = attempt.isPresent() ? read(attempt.get()) : Optional.<LogLines>empty();
        if (found.isEmpty() && isOver) {
            isEnded = true;
            return Optional.of(message(new LogSection(List.of(), false, false, offset), false));
        }
        pauseNanos = found.isPresent() ? SOON_NANOS : Math.min(LATER_NANOS, pauseNanos * 2);
        return found;
    }

    /** Reports that the log cannot be read. A client continues with a new stream at the offset. */
    LogLines fail(LogUnreadable why) {
        isEnded = true;
        return new LogLines(
                task.value(),
                attempt.map(AttemptId::number).orElse(null),
                List.of(),
                offset,
                false,
                false,
                true,
                "The log cannot be read now: " + why.getMessage(),
                why instanceof LogGone);
    }

    private void switchToLatestAttempt() throws StoreFailure {
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
            sentTo = -1;
        }
    }

    /** Attempts are numbered from 1, so the count is the number of the latest. */
    private static Optional<AttemptId> latest(Task task) {
        return task.attempts() == 0
                ? Optional.empty()
                : Optional.of(new AttemptId(task.id(), task.attempts()));
    }

    private Optional<LogLines> read(AttemptId of) throws LogUnreadable {
        var all = sources.logs().from(of, part, offset, true);
        if (all.nextOffset() < offset) {
            // The task has truncated its log.
            offset = 0;
            sentTo = -1;
            return Optional.of(message(new LogSection(List.of(), false, true, 0), false));
        }
        if (all.nextOffset() == sentTo || (all.lines().isEmpty() && all.nextOffset() == offset)) {
            return finished(all);
        }
        var whole = sources.logs().from(of, part, offset, false);
        var isPartial = whole.nextOffset() < all.nextOffset() && !isOver;
        var shown = whole.nextOffset() < all.nextOffset() ? all : whole;
        offset = isPartial ? whole.nextOffset() : shown.nextOffset();
        sentTo = shown.nextOffset();
        return Optional.of(message(shown, isPartial));
    }

    /** A last line that was sent as unfinished becomes final when the task has ended. */
    private Optional<LogLines> finished(LogSection all) {
        if (!isOver || all.lines().isEmpty() || all.nextOffset() == offset) {
            return Optional.empty();
        }
        offset = all.nextOffset();
        return Optional.of(message(all, false));
    }

    private LogLines message(LogSection piece, boolean isPartial) {
        return new LogLines(
                task.value(),
                attempt.map(AttemptId::number).orElse(null),
                piece.lines(),
                offset,
                isPartial,
                piece.gap(),
                isEnded,
                null,
                false);
    }
}
