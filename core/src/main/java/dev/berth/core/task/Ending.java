package dev.berth.core.task;

/** How an attempt ended: a fact read from the machine, not a wish. */
public sealed interface Ending {

    record Exited(int code) implements Ending {}

    /** Its processes are gone and left no exit record. */
    record Vanished() implements Ending {}

    /** The machine was restarted under it. */
    record MachineRestarted() implements Ending {}

    /** It was closed off before its command could run, and never will. */
    record NeverStarted() implements Ending {}

    /** It could not be started. */
    record LaunchFailed(String why) implements Ending {}

    /** It did not come up in time; it was closed off, and never will. */
    record StartTimedOut(String why) implements Ending {}

    /** What a person reads on the task, empty when all went well. */
    default String error() {
        return switch (this) {
            case Exited(int code) -> code == 0 ? "" : "exit code " + code + signal(code);
            case Vanished _ -> "ended with no exit code";
            case MachineRestarted _ -> "machine restarted";
            case NeverStarted _ -> "closed off before it started";
            case LaunchFailed(String why) -> why;
            case StartTimedOut(String why) -> why;
        };
    }

    /** In one word, for programs; empty when all went well. */
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

    /** A shell reports a command that a signal ended as 128 + the signal's number. */
    private static String signal(int code) {
        return switch (code) {
            case 130 -> " (SIGINT)";
            case 134 -> " (SIGABRT)";
            case 137 -> " (SIGKILL: killed, often for want of memory)";
            case 139 -> " (SIGSEGV)";
            case 143 -> " (SIGTERM)";
            default -> "";
        };
    }
}
