package dev.berth.server.lane;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.StoreFailure;
import dev.berth.wire.FileProblem;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One run that is being written down: what was last told of it, and when to look again. */
final class Followed {

    private static final long PACE_NANOS = Duration.ofMillis(250).toNanos();

    /** A run that waits changes with every reading of the cards, and nobody needs each of them. */
    private static final long CALM_NANOS = Duration.ofSeconds(1).toNanos();

    private final Instant toldUntil;
    private final RunLog log;
    private final List<Event> news = new ArrayList<>();
    private final List<FileProblem> left = new ArrayList<>();
    private LaneRun run;
    private @Nullable RunState state;
    private boolean isStale = true;
    private boolean isShaken;
    private boolean isUnwritten;
    private long lastLook;
    private long lookAt;
    private String printed = "";
    private long printAt;

    /**
     * @param toldUntil its log already has what happened until then
     */
    Followed(LaneRun run, Instant toldUntil, long now) {
        this.run = run;
        this.toldUntil = toldUntil;
        this.log = new RunLog(run.id());
        this.lastLook = now;
        this.lookAt = now;
        this.printAt = now;
    }

    LaneRun run() {
        return run;
    }

    void happened(Event event) {
        if (isOfIt(event)) {
            isStale = true;
            // A state tells its time in microseconds.
            if (event.at().truncatedTo(ChronoUnit.MICROS).isAfter(toldUntil)) {
                news.add(event);
            }
        }
    }

    private boolean isOfIt(Event event) {
        return event.task().map(this::isOfIt).orElse(false)
                || Long.toString(run.id()).equals(event.data().get("run"));
    }

    private boolean isOfIt(TaskId task) {
        return task.compareTo(run.first()) >= 0 && task.compareTo(run.end()) < 0;
    }

    /** Blocks that are not part of it. */
    void leftOut(List<FileProblem> problems) {
        left.addAll(problems);
        isStale = true;
    }

    /** Something changed somewhere, which may be what it waits for. */
    void shaken() {
        isShaken |= isRestless();
    }

    void stale() {
        isStale = true;
    }

    boolean isStale() {
        return isStale || isUnwritten || !log.isWritten();
    }

    private boolean isRestless() {
        return state != null
                && state.endedAt() == null
                && (state.running() == 0
                        || state.queues().values().stream()
                                .anyMatch(lane -> lane.backoffUntil() != null));
    }

    /** When it is to be looked at, by the clock that ticks in nanoseconds. */
    long dueAt(long never) {
        long due = never;
        if (isStale()) {
            due = lookAt;
        } else if (isShaken) {
            due = Math.max(lookAt, lastLook + CALM_NANOS);
        }
        return isPrinted() ? due : Math.min(due, Math.max(lookAt, printAt));
    }

    /** Looks at it and writes down what is new. */
    void look(LaneRun now, RunBook.Rendering rendering, RunBook.Outlets outlets)
            throws StoreFailure, IOException {
        lastLook = outlets.nanos().getAsLong();
        lookAt = lastLook + CALM_NANOS;
        isShaken = false;
        var rendered = rendering.state(now);
        run = now;
        isStale = false;
        if (!rendered.equals(state)) {
            state = rendered;
            isUnwritten = true;
        }
        tell(rendered);
        print(rendered, outlets);
        write(rendered, outlets);
        lookAt = lastLook + PACE_NANOS;
    }

    private void tell(RunState rendered) {
        var queues = queues(rendered);
        for (var event : news) {
            var ended =
                    event.kind() == Event.Kind.RUN_ENDED ? ": " + RunPrint.counts(rendered) : "";
            RunNews.of(event, queues).ifPresent(line -> log.add(event.at(), line + ended));
        }
        news.clear();
        left.forEach(problem -> log.add(run.startedAt(), RunNews.of(problem)));
        left.clear();
    }

    private static Map<Long, String> queues(RunState rendered) {
        var queues = new HashMap<Long, String>();
        rendered.queues()
                .forEach(
                        (queue, lane) ->
                                lane.processes()
                                        .forEach(process -> queues.put(process.taskId(), queue)));
        return queues;
    }

    private void print(RunState rendered, RunBook.Outlets outlets) {
        long now = outlets.nanos().getAsLong();
        if (!isPrinted() && now - printAt >= 0) {
            var reason = rendered.reason();
            var why = reason == null ? "" : "  nothing starts: " + RunLog.plain(reason) + "\n";
            log.addBlock(outlets.clock().instant(), "status", RunPrint.of(rendered) + why);
            printed = toPrint(rendered);
            printAt = now + outlets.settings().checkTime().get().toNanos();
        }
    }

    private boolean isPrinted() {
        return state == null || printed.equals(toPrint(state));
    }

    /** A reason in other words is no other status. */
    private static String toPrint(RunState rendered) {
        return RunPrint.of(rendered) + (rendered.reason() == null);
    }

    /** Each for itself, so that what can be written is. */
    private void write(RunState rendered, RunBook.Outlets outlets) throws IOException {
        try {
            if (isUnwritten) {
                outlets.files().write(rendered);
                isUnwritten = false;
            }
        } finally {
            log.write(outlets.settings().log(run));
        }
    }

    /** Nothing more will become of it, and all is written. */
    boolean isOver() {
        return state != null
                && state.endedAt() != null
                && state.pending() + state.running() == 0
                && !isStale()
                && isPrinted();
    }
}
