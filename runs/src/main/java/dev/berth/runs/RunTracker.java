package dev.berth.runs;

import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.FileRunPayload;
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

/**
 * One file run whose state file and log are written: what was written last, and when to check
 * again.
 */
final class RunTracker {

    private static final long INTERVAL_NANOS = Duration.ofMillis(250).toNanos();

    /** A waiting run changes with every GPU reading; its state is written less often. */
    private static final long WAITING_INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

    private final Instant loggedUntil;
    private final RunLog log;
    private final List<Event> newEvents = new ArrayList<>();
    private FileRun run;
    private @Nullable RunState state;
    private boolean isStale = true;
    private boolean mayHaveChanged;
    private boolean isUnwritten;
    private long lastCheck;
    private long checkAt;
    private String printed = "";
    private long printAt;

    /**
     * @param toldUntil the log already contains the events until then
     */
    RunTracker(FileRun run, Instant toldUntil, long now) {
        this.run = run;
        this.loggedUntil = toldUntil;
        this.log = new RunLog(run.id());
        this.lastCheck = now;
        this.checkAt = now;
        this.printAt = now;
    }

    FileRun run() {
        return run;
    }

    void add(Event event) {
        if (belongs(event)) {
            isStale = true;
            // State files store times in microseconds.
            if (event.at().truncatedTo(ChronoUnit.MICROS).isAfter(loggedUntil)) {
                newEvents.add(event);
            }
        }
    }

    private boolean belongs(Event event) {
        return event.task().map(this::belongs).orElse(false)
                || (event.payload() instanceof FileRunPayload payload && payload.run() == run.id());
    }

    private boolean belongs(TaskId task) {
        return task.compareTo(run.firstTask()) >= 0 && task.compareTo(run.endTask()) < 0;
    }

    /** A change elsewhere may end the wait of this run. */
    void markMaybeChanged() {
        mayHaveChanged |= isWaiting();
    }

    void markStale() {
        isStale = true;
    }

    boolean isStale() {
        return isStale || isUnwritten || !log.isWritten();
    }

    private boolean isWaiting() {
        return state != null
                && state.endedAt() == null
                && (state.running() == 0
                        || state.queues().values().stream()
                                .anyMatch(lane -> lane.backoffUntil() != null));
    }

    /** The next check, on the monotonic clock. */
    long nextCheck(long never) {
        long due = never;
        if (isStale()) {
            due = checkAt;
        } else if (mayHaveChanged) {
            due = Math.max(checkAt, lastCheck + WAITING_INTERVAL_NANOS);
        }
        return isStatusPrinted() ? due : Math.min(due, Math.max(checkAt, printAt));
    }

    /** Reads the current state and writes what has changed. */
    void check(FileRun now, RunFileWriter.RunRendering rendering, RunFileWriter.RunOutputs outputs)
            throws StoreFailure, IOException {
        lastCheck = outputs.nanos().getAsLong();
        checkAt = lastCheck + WAITING_INTERVAL_NANOS;
        mayHaveChanged = false;
        var rendered = rendering.state(now);
        run = now;
        isStale = false;
        if (!rendered.equals(state)) {
            state = rendered;
            isUnwritten = true;
        }
        logEvents(rendered);
        print(rendered, outputs);
        write(rendered, outputs);
        checkAt = lastCheck + INTERVAL_NANOS;
    }

    private void logEvents(RunState rendered) {
        var queues = queues(rendered);
        for (var event : newEvents) {
            var ended =
                    event.payload() instanceof FileRunPayload.FileRunEnded
                            ? ": " + RunStatusText.counts(rendered)
                            : "";
            RunLogLines.lineOf(event, queues).ifPresent(line -> log.add(event.at(), line + ended));
            if (event.payload() instanceof FileRunPayload.FileRunStarted) {
                rendered.problems().stream()
                        .map(RunLogLines::lineOf)
                        .forEach(line -> log.add(event.at(), line));
            }
        }
        newEvents.clear();
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

    private void print(RunState rendered, RunFileWriter.RunOutputs outputs) {
        long now = outputs.nanos().getAsLong();
        if (!isStatusPrinted() && now - printAt >= 0) {
            var reason = rendered.reason();
            var why =
                    reason == null
                            ? ""
                            : "  nothing starts: " + RunLog.withoutControl(reason) + "\n";
            log.addBlock(outputs.clock().instant(), "status", RunStatusText.of(rendered) + why);
            printed = statusText(rendered);
            printAt = now + outputs.settings().checkTime().get().toNanos();
        }
    }

    private boolean isStatusPrinted() {
        return state == null || printed.equals(statusText(state));
    }

    /** A reason with another wording does not print the status again. */
    private static String statusText(RunState rendered) {
        return RunStatusText.of(rendered) + (rendered.reason() == null);
    }

    /** State and log are written independently, so that one can fail alone. */
    private void write(RunState rendered, RunFileWriter.RunOutputs outputs) throws IOException {
        try {
            if (isUnwritten) {
                outputs.stateFiles().write(rendered);
                isUnwritten = false;
            }
        } finally {
            log.write(outputs.settings().logFile(run), outputs.paths());
        }
    }

    /** The run has ended, nothing can change any more, and everything is written. */
    boolean isDone() {
        return state != null
                && state.endedAt() != null
                && state.pending() + state.running() == 0
                && !isStale()
                && isStatusPrinted();
    }
}
