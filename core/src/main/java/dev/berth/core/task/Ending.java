package dev.berth.core.task;

import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.findings.diagnosis.ExitCode;
import dev.berth.findings.diagnosis.LogAnalyzer;

import java.util.Optional;
import java.util.OptionalInt;

/** How an attempt ended, as observed on the machine. */
public sealed interface Ending {

    record Exited(int code) implements Ending {}

    /**
     * Its processes are gone and left no exit record.
     *
     * @param detail why there is none; empty if unknown
     */
    record Vanished(String detail) implements Ending {
        public Vanished() {
            this("");
        }
    }

    /** The machine restarted while the attempt ran. */
    record MachineRestarted() implements Ending {}

    /** The attempt was cancelled before its command ran; the shim can no longer start it. */
    record NeverStarted() implements Ending {}

    /** The task itself cannot be started. */
    record LaunchFailed(String reason) implements Ending {}

    /** The machine could not start the command; it never ran, and can no longer start. */
    record NotLaunched(MachineFault fault) implements Ending {
        /** Whether this is the error of such an ending. */
        public static boolean isErrorOfOne(String error) {
            return error.startsWith(ErrorSentence.NOT_STARTED.text(""));
        }
    }

    /** The shim did not report in time; the attempt was cancelled, and can no longer start. */
    record StartTimedOut(String reason) implements Ending {}

    /**
     * A worker could not carry out the task, or ended before it had.
     *
     * @param errorType as the worker named it
     */
    record CallFailed(String errorType, String message) implements Ending {
        /** The error type if the worker itself failed. */
        public static final String WORKER_OFFLINE = "worker_offline";
    }

    /**
     * The cluster ended the command, and neither its task nor a person is the reason: it is run
     * again.
     */
    record Interrupted(String reason) implements Ending {}

    /** For people; empty on success. */
    default String error() {
        return switch (this) {
            case Exited(int code) -> code == 0 ? "" : ExitCode.describe(code);
            case Vanished(String detail) ->
                    detail.isEmpty()
                            ? ErrorSentence.VANISHED.text()
                            : ErrorSentence.VANISHED_BECAUSE.text(detail);
            case MachineRestarted _ -> ErrorSentence.MACHINE_RESTARTED.text();
            case NeverStarted _ -> ErrorSentence.NEVER_STARTED.text();
            case LaunchFailed(String why) -> why;
            case NotLaunched(var fault) -> ErrorSentence.NOT_STARTED.text(fault.detail());
            case StartTimedOut(String why) -> why;
            case CallFailed(_, String message) -> message;
            case Interrupted(String why) -> why;
        };
    }

    /** For programs; empty on success. */
    default String errorType() {
        return switch (this) {
            case Exited(int code) -> code == 0 ? "" : "exit_" + code;
            case Vanished _ -> "vanished";
            case MachineRestarted _ -> "machine_restarted";
            case NeverStarted _ -> "never_started";
            case LaunchFailed _ -> "launch_failed";
            case NotLaunched _ -> "machine_fault";
            case StartTimedOut _ -> "start_timeout";
            case CallFailed(String type, _) -> type;
            case Interrupted _ -> "interrupted";
        };
    }

    /** Why the command failed, by the end of its log; empty if it succeeded or never ran. */
    default Optional<Diagnosis> diagnose(String logEnd) {
        return switch (this) {
            case Exited(int code) -> LogAnalyzer.diagnose(logEnd, OptionalInt.of(code));
            case Vanished _ -> LogAnalyzer.diagnose(logEnd, OptionalInt.empty());
            case MachineRestarted _,
                    NeverStarted _,
                    LaunchFailed _,
                    NotLaunched _,
                    StartTimedOut _,
                    Interrupted _,
                    CallFailed _ ->
                    Optional.empty();
        };
    }

    /** Whether the task goes back to its queue position as if it had not been started. */
    default boolean isAsIfNeverStarted() {
        return switch (this) {
            case NeverStarted _, NotLaunched _ -> true;
            case Exited _,
                    Vanished _,
                    MachineRestarted _,
                    LaunchFailed _,
                    StartTimedOut _,
                    Interrupted _,
                    CallFailed _ ->
                    false;
        };
    }
}
