package dev.berth.server.lane;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.Said;
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
 * One try of a task as its record shows it.
 *
 * @param retry how many came before it
 * @param shim the process that runs its command's shell, if it ever came to life
 * @param pid of that shell
 * @param outcome empty while it runs
 */
record ProcessFileTry(
        AttemptId attempt,
        String uniId,
        int retry,
        Optional<ProcessKey> shim,
        OptionalLong pid,
        Optional<Outcome> outcome) {

    static final String PID = "pid";
    static final String STATE = "state";
    static final String RETRY_COUNT = "retry_count";
    static final String ERROR_TYPE = "error_type";
    static final String RUNNING = "running";
    static final String NORMAL_EXIT = "normal_exit";
    static final String ABNORMAL_EXIT = "abnormal_exit";
    private static final int LONGEST_WORD = 200;

    /** How it ended. */
    record Outcome(boolean isWell, String errorType) {}

    /**
     * The tries of a task, oldest first. An attempt that never started is none: the next attempt is
     * the same try.
     */
    static List<ProcessFileTry> of(Task task, List<Attempt> attempts) {
        var tries = new ArrayList<ProcessFileTry>();
        int retry = 0;
        for (var attempt : attempts) {
            var shim = attempt.phase().begun().map(Run::process);
            var outcome = Optional.<Outcome>empty();
            if (attempt.phase() instanceof Phase.Ended(_, Ending ending, _)) {
                if (ending instanceof Ending.NeverStarted) {
                    continue;
                }
                boolean isLast = attempt.id().number() == task.attempts();
                outcome = Optional.of(outcome(task, attempt, ending, isLast));
            }
            if (shim.isPresent() || outcome.isPresent()) {
                tries.add(
                        new ProcessFileTry(
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

    /** What was tried again had failed, whatever its command said of itself. */
    private static Outcome outcome(Task task, Attempt attempt, Ending ending, boolean isLast) {
        if (isLast && task.state() instanceof TaskState.Completed) {
            return new Outcome(true, "");
        }
        var word = attempt.said().flatMap(Said::errorType).orElse(ending.errorType());
        boolean isCancelled = isLast && task.state() instanceof TaskState.Cancelled;
        return new Outcome(
                false, !word.isEmpty() ? word : isCancelled ? "cancelled" : "runtime_error");
    }

    ProcessFileTry with(OptionalLong shell) {
        return new ProcessFileTry(attempt, uniId, retry, shim, shell, outcome);
    }

    boolean isLive() {
        return outcome.isEmpty();
    }

    /**
     * Puts what Berth knows into its record. What a script has written there stays, except that a
     * try which has ended does not run.
     */
    void into(ObjectNode tree) {
        var record = tree.get(uniId) instanceof ObjectNode known ? known : tree.putObject(uniId);
        putPid(record);
        if (!record.hasNonNull(STATE)) {
            record.put(STATE, RUNNING);
        }
        outcome.filter(_ -> !isEnded(record)).ifPresent(end -> put(record, end));
        if (!record.has(RETRY_COUNT)) {
            record.put(RETRY_COUNT, retry);
        }
    }

    /** The shim stands in for its shell until that is known. */
    private void putPid(ObjectNode record) {
        var known = pid(record);
        boolean isOpen =
                !record.hasNonNull(PID)
                        || (known.isPresent()
                                && shim.isPresent()
                                && known.getAsLong() == shim.get().pid());
        if (!isOpen) {
            return;
        }
        var ours =
                pid.isPresent() ? pid : shim.map(ProcessKey::pid).map(OptionalLong::of).orElse(pid);
        if (ours.isPresent() && !ours.equals(known)) {
            record.put(PID, ours.getAsLong());
        } else if (!record.has(PID)) {
            record.putNull(PID);
        }
    }

    private static void put(ObjectNode record, Outcome end) {
        record.put(STATE, end.isWell() ? NORMAL_EXIT : ABNORMAL_EXIT);
        if (!end.isWell() && !record.hasNonNull(ERROR_TYPE)) {
            record.put(ERROR_TYPE, end.errorType());
        }
    }

    static boolean isEnded(JsonNode record) {
        var state = record.path(STATE).asString("");
        return state.equals(NORMAL_EXIT) || state.equals(ABNORMAL_EXIT);
    }

    /** Empty where there is none, or something else. */
    static OptionalLong pid(JsonNode record) {
        var pid = record.path(PID);
        return pid.isIntegralNumber() && pid.canConvertToLong()
                ? OptionalLong.of(pid.asLong())
                : OptionalLong.empty();
    }

    static boolean isRunning(JsonNode record) {
        return record.path(STATE).asString("").equals(RUNNING);
    }

    /** The word of a try's script on its end. */
    static Optional<Said> said(ObjectNode tree, String uniId, Instant now) {
        var record = tree.path(uniId);
        if (!isEnded(record)) {
            return Optional.empty();
        }
        boolean isWell = record.path(STATE).asString("").equals(NORMAL_EXIT);
        var word = record.path(ERROR_TYPE).asString("").strip();
        var errorType =
                isWell || word.isEmpty()
                        ? Optional.<String>empty()
                        : Optional.of(word.substring(0, Math.min(LONGEST_WORD, word.length())));
        return Optional.of(new Said(isWell, errorType, now));
    }
}
