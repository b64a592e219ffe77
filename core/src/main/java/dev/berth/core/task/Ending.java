package dev.berth.core.task;

import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.findings.diagnosis.ExitCode;
import dev.berth.findings.diagnosis.LogAnalyzer;

import java.util.Optional;
import java.util.OptionalInt;

/** How an attempt ended, as observed on the machine. */
public sealed interface Ending {

    record Exited(int code) implements Ending {}

    /** Its processes are gone and left no exit record. */
    record Vanished() implements Ending {}

    /** The machine restarted while the attempt ran. */
    record MachineRestarted() implements Ending {}

    /** The attempt was cancelled before its command ran; the shim can no longer start it. */
    record NeverStarted() implements Ending {}

    record LaunchFailed(String reason) implements Ending {}

    /** The shim did not report in time; the attempt was cancelled, and can no longer start. */
    record StartTimedOut(String reason) implements Ending {}

    /** For people; empty on success. */
    default String error() {
        return switch (this) {
            case Exited(int code) -> code == 0 ? "" : ExitCode.describe(code);
            case Vanished _ -> "ended with no exit code";
            case MachineRestarted _ -> "machine restarted";
            case NeverStarted _ -> "closed off before it started";
            case LaunchFailed(String why) -> why;
            case StartTimedOut(String why) -> why;
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
            case StartTimedOut _ -> "start_timeout";
        };
    }

    /** Why the command failed, by the end of its log; empty if it succeeded or never ran. */
    default Optional<Diagnosis> diagnose(String logEnd) {
        return switch (this) {
            case Exited(int code) -> LogAnalyzer.diagnose(logEnd, OptionalInt.of(code));
            case Vanished _ -> LogAnalyzer.diagnose(logEnd, OptionalInt.empty());
            case MachineRestarted _, NeverStarted _, LaunchFailed _, StartTimedOut _ ->
                    Optional.empty();
        };
    }
}
