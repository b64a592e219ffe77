package dev.berth.findings.diagnosis;

/** The exit code of a command in words. */
public final class ExitCode {

    private ExitCode() {}

    /** A shell reports a command that a signal ended as 128 + the signal's number. */
    public static String describe(int code) {
        var signal =
                switch (code) {
                    case 130 -> " (SIGINT)";
                    case 134 -> " (SIGABRT)";
                    case 137 -> " (SIGKILL: killed, often for want of memory)";
                    case 139 -> " (SIGSEGV)";
                    case 143 -> " (SIGTERM)";
                    default -> "";
                };
        return "exit code " + code + signal;
    }
}
