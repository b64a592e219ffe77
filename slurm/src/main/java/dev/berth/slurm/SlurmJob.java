package dev.berth.slurm;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A job as {@code squeue} lists it.
 *
 * @param id changes its meaning when the controller crashes
 * @param stateName as Slurm prints it
 * @param reason why it waits, or why it ended
 * @param start when it started or is expected to start
 * @param host that runs it; empty if it waits
 * @param uid of its owner
 * @param script path of its script, its only lasting identity
 */
public record SlurmJob(
        String id,
        String stateName,
        String reason,
        Optional<Instant> start,
        String host,
        int uid,
        String script) {

    /** What a state means for an attempt. */
    public enum State {
        /** It has not started. */
        WAITING,
        /** Its processes may be there. */
        ACTIVE,
        /** Slurm says that it is over. */
        OVER,
        /** A person or Slurm itself cancelled it. */
        CANCELLED,
        /** Its host does not answer; its processes may still be there. */
        HOST_FAILED
    }

    public State state() {
        return switch (stateName.toUpperCase(Locale.ROOT)) {
            case "PENDING",
                    "CONFIGURING",
                    "REQUEUED",
                    "REQUEUE_FED",
                    "REQUEUE_HOLD",
                    "SPECIAL_EXIT",
                    "RESV_DEL_HOLD" ->
                    State.WAITING;
            case "CANCELLED" -> State.CANCELLED;
            case "NODE_FAIL", "BOOT_FAIL" -> State.HOST_FAILED;
            case "COMPLETED",
                    "FAILED",
                    "TIMEOUT",
                    "OUT_OF_MEMORY",
                    "DEADLINE",
                    "PREEMPTED",
                    "REVOKED" ->
                    State.OVER;
            // RUNNING, COMPLETING, SUSPENDED, STOPPED, SIGNALING, STAGE_OUT, RESIZING, …
            default -> State.ACTIVE;
        };
    }

    /** Whether Slurm holds resources for it, or will. */
    public boolean isLive() {
        return state() == State.WAITING || state() == State.ACTIVE;
    }
}
