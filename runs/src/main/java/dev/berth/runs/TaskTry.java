package dev.berth.runs;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One try of a task, as its record shows it.
 *
 * @param retry number of earlier tries
 * @param shim the process that runs the command's shell; empty if it never started
 * @param pid of the shell
 * @param outcome empty while it runs
 */
record TaskTry(
        AttemptId attempt,
        String uniId,
        int retry,
        Optional<ProcessKey> shim,
        OptionalLong pid,
        Optional<TryOutcome> outcome) {

    static final String PID = "pid";
    static final String STATE = "state";
    static final String RETRY_COUNT = "retry_count";
    static final String ERROR_TYPE = "error_type";
    static final String RUNNING = "running";
    static final String NORMAL_EXIT = "normal_exit";
    static final String ABNORMAL_EXIT = "abnormal_exit";
    private static final int MAX_ERROR_TYPE = 200;

    record TryOutcome(boolean isSuccess, String errorType) {}

    /**
     * The tries of a task, oldest first. An attempt that never started does not count: the next
     * attempt is the same try.
     */
    static List<TaskTry> of(Task task, List<Attempt> attempts) {
        var tries = new ArrayList<TaskTry>();
        int retry = 0;
        for (var attempt : attempts) {
            var shim = attempt.phase().shimProcess().map(ShimProcess::key);
            var outcome = Optional.<TryOutcome>empty();
            if (attempt.phase() instanceof Phase.Ended(_, Ending ending, _)) {
                if (ending.isAsIfNeverStarted()) {
                    continue;
                }
                boolean isLast = attempt.id().number() == task.attempts();
                outcome = Optional.of(outcome(task, attempt, ending, isLast));
            }
            if (shim.isPresent() || outcome.isPresent()) {
                tries.add(
                        new TaskTry(
                                attempt.id(),
                                task.uniId(retry),
                                retry,
                                shim,
                                OptionalLong.empty(),
                                outcome));
            }
            retry++;
        }
        return tries;
    }

    /** A try that was repeated has failed, whatever its script reported. */
    private static TryOutcome outcome(Task task, Attempt attempt, Ending ending, boolean isLast) {
        if (isLast && task.state() instanceof TaskState.Completed) {
            return new TryOutcome(true, "");
        }
        var word =
                attempt.scriptReport().flatMap(ScriptReport::errorType).orElse(ending.errorType());
        boolean isCancelled = isLast && task.state() instanceof TaskState.Cancelled;
        return new TryOutcome(
                false, !word.isEmpty() ? word : isCancelled ? "cancelled" : "runtime_error");
    }

    TaskTry withPid(OptionalLong shell) {
        return new TaskTry(attempt, uniId, retry, shim, shell, outcome);
    }

    boolean isRunningNow() {
        return outcome.isEmpty();
    }

    /**
     * Writes Berth's fields into the record. Fields of a script stay, but an ended try cannot be
     * running.
     */
    void writeTo(ObjectNode tree) {
        var record =
                tree.get(uniId) instanceof ObjectNode existing ? existing : tree.putObject(uniId);
        putPid(record);
        if (!record.hasNonNull(STATE)) {
            record.put(STATE, RUNNING);
        }
        outcome.filter(_ -> !isEnded(record)).ifPresent(end -> put(record, end));
        if (!record.has(RETRY_COUNT)) {
            record.put(RETRY_COUNT, retry);
        }
    }

    /** The shim's PID is used until the shell's PID is known. */
    private void putPid(ObjectNode record) {
        var existing = pid(record);
        boolean isOpen =
                !record.hasNonNull(PID)
                        || (existing.isPresent()
                                && shim.isPresent()
                                && existing.getAsLong() == shim.get().pid());
        if (!isOpen) {
            return;
        }
        var ours =
                pid.isPresent() ? pid : shim.map(ProcessKey::pid).map(OptionalLong::of).orElse(pid);
        if (ours.isPresent() && !ours.equals(existing)) {
            record.put(PID, ours.getAsLong());
        } else if (!record.has(PID)) {
            record.putNull(PID);
        }
    }

    private static void put(ObjectNode record, TryOutcome end) {
        record.put(STATE, end.isSuccess() ? NORMAL_EXIT : ABNORMAL_EXIT);
        if (!end.isSuccess() && !record.hasNonNull(ERROR_TYPE)) {
            record.put(ERROR_TYPE, end.errorType());
        }
    }

    static boolean isEnded(JsonNode record) {
        var state = record.path(STATE).asString("");
        return state.equals(NORMAL_EXIT) || state.equals(ABNORMAL_EXIT);
    }

    /** Empty if it is missing or not a number. */
    static OptionalLong pid(JsonNode record) {
        var pid = record.path(PID);
        return pid.isIntegralNumber() && pid.canConvertToLong()
                ? OptionalLong.of(pid.asLong())
                : OptionalLong.empty();
    }

    static boolean isRunning(JsonNode record) {
        return record.path(STATE).asString("").equals(RUNNING);
    }

    /** The final report of a try's script. */
    static Optional<ScriptReport> readReport(ObjectNode tree, String uniId, Instant now) {
        var record = tree.path(uniId);
        if (!isEnded(record)) {
            return Optional.empty();
        }
        boolean isWell = record.path(STATE).asString("").equals(NORMAL_EXIT);
        var word = record.path(ERROR_TYPE).asString("").strip();
        var errorType =
                isWell || word.isEmpty()
                        ? Optional.<String>empty()
                        : Optional.of(word.substring(0, Math.min(MAX_ERROR_TYPE, word.length())));
        return Optional.of(new ScriptReport(isWell, errorType, now));
    }
}
