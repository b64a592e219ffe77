package dev.berth.engine.port;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskId;

import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Something that happened, for the audit, the history and the event stream.
 *
 * @param seq grows by one with each event of a home
 */
public record Event(
        long seq,
        Instant at,
        Owner actor,
        Kind kind,
        Optional<TaskId> task,
        Optional<AttemptId> attempt,
        SortedMap<String, String> data) {

    /** What can happen; the word on the wire is the lower-case name with a dot. */
    public enum Kind {
        SERVER_STARTED,
        TASK_SUBMITTED,
        TASK_DRAFTED,
        /** A draft joined its line. */
        TASK_QUEUED,
        TASK_CHANGED,
        TASK_REQUEUED,
        /** It failed and is tried again. */
        TASK_RETRIED,
        TASK_COMPLETED,
        TASK_FAILED,
        TASK_CANCELLED,
        ATTEMPT_GRANTED,
        ATTEMPT_STARTED,
        ATTEMPT_ADOPTED,
        ATTEMPT_STOPPING,
        ATTEMPT_LOST,
        ATTEMPT_STUCK,
        /** Its own script said how it ended. */
        ATTEMPT_SAID,
        ATTEMPT_ENDED,
        RUN_STARTED,
        RUN_STOPPING,
        RUN_ENDED,
        RULES_CHANGED,
        SCHEDULER_STARTED,
        SCHEDULER_STOPPED,
        TOKEN_CREATED,
        TOKEN_REVOKED,
        ALERT_DISK_LOW,
        ALERT_DISK_RECOVERED,
        ALERT_PROCESSES_LEFT,
        ALERT_LONG_WAIT,
        ALERT_GPUS_UNREADABLE,
        ALERT_GPUS_READABLE,
        ALERT_GPU_ERROR,
        ALERT_GPU_RETURNED,
        /** A card is given on although nobody could see that its last task is off it. */
        ALERT_GPU_UNPROVEN;

        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT).replaceFirst("_", ".");
        }
    }

    public Event {
        data = Collections.unmodifiableSortedMap(new TreeMap<>(data));
    }
}
