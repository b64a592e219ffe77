package dev.berth.engine.port;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskId;

import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
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
        /** A model was found to need more memory than was thought. */
        ESTIMATE_RAISED,
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
        /** One card cannot be read while others can. */
        ALERT_GPU_UNREADABLE,
        ALERT_GPU_READABLE,
        ALERT_GPU_ERROR,
        /** It did not pass its test, and stays out of use until a person acts. */
        ALERT_GPU_UNRECOVERABLE,
        ALERT_GPU_RETURNED,
        /** By a person's word. */
        ALERT_GPU_QUARANTINED,
        ALERT_GPU_HANDED_BACK,
        /** A card is given on although nobody could see that its last task is off it. */
        ALERT_GPU_UNPROVEN,
        /** A task's progress stands still. */
        ALERT_STALLED,
        /** Somebody who wants messages can not be reached. */
        ALERT_MESSAGE_UNDELIVERED;

        private static final String ALERT = "alert.";

        /** What was put right, or is a person's own doing. */
        private static final Set<Kind> GOOD_NEWS =
                EnumSet.of(
                        ALERT_DISK_RECOVERED,
                        ALERT_GPUS_READABLE,
                        ALERT_GPU_READABLE,
                        ALERT_GPU_RETURNED,
                        ALERT_GPU_QUARANTINED,
                        ALERT_GPU_HANDED_BACK);

        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT).replaceFirst("_", ".");
        }

        /** Somebody should look. */
        public boolean isTrouble() {
            return isAlert() && !GOOD_NEWS.contains(this);
        }

        /** Somebody should know of it. */
        public boolean isAlert() {
            return word().startsWith(ALERT);
        }
    }

    public Event {
        data = Collections.unmodifiableSortedMap(new TreeMap<>(data));
    }
}
