package dev.berth.port.event;

import dev.berth.core.task.StopCause;
import dev.berth.findings.diagnosis.Cause;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Events of an attempt. */
public sealed interface AttemptPayload extends EventPayload {

    /**
     * The attempt got its GPUs.
     *
     * @param gpus indices
     * @param isForced a person started it regardless of the rules
     * @param leavesTooFewIdle fewer GPUs stay idle than the rules reserve
     * @param lane the API name of its lane
     */
    record AttemptScheduled(
            List<Integer> gpus,
            Duration waited,
            boolean isForced,
            boolean leavesTooFewIdle,
            Optional<String> lane)
            implements AttemptPayload {
        public AttemptScheduled {
            gpus = List.copyOf(gpus);
            waited = waited.truncatedTo(ChronoUnit.MILLIS);
        }
    }

    record AttemptStarted(long pid) implements AttemptPayload {}

    /** A new server watches the attempt of an earlier one. */
    record AttemptAdopted(long pid) implements AttemptPayload {}

    record AttemptStopping(StopCause cause) implements AttemptPayload {}

    record AttemptLost(String why) implements AttemptPayload {}

    record AttemptStuck(String what) implements AttemptPayload {}

    /**
     * A person decided what became of a lost or stuck attempt.
     *
     * @param as the decision, in the words of the API
     * @param isForced although its processes were seen, or could not be looked for
     * @param pid of the process that the person named
     */
    record AttemptResolved(String as, boolean isForced, OptionalLong pid)
            implements AttemptPayload {}

    /** The script reported its own end. */
    record ScriptReported(boolean isSuccess, Optional<String> errorType)
            implements AttemptPayload {}

    /**
     * @param exitCode empty if its command did not exit by itself
     * @param reason how it ended without an exit code
     * @param cause the cause found in its log
     * @param gpus indices
     */
    record AttemptEnded(
            OptionalInt exitCode,
            Optional<String> reason,
            Optional<Cause> cause,
            List<Integer> gpus)
            implements AttemptPayload {
        public AttemptEnded {
            gpus = List.copyOf(gpus);
        }
    }
}
