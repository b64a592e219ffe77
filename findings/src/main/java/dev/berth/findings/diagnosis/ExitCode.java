package dev.berth.findings.diagnosis;

/** The exit code of a command in words. */
public final class ExitCode {

    private ExitCode() {}

    /** A shell reports a command that a signal ended as 128 + the signal's number. */
    public static String describe(int code) {
        var signal = signal(code - 128);
        return "exit code " + code + (signal.isEmpty() ? "" : " (" + signal + ")");
    }

    /** The signals of Linux that end a process and that people meet. */
    private static String signal(int number) {
        return switch (number) {
            case 1 -> "SIGHUP";
            case 2 -> "SIGINT";
            case 3 -> "SIGQUIT";
            case 4 -> "SIGILL: illegal instruction";
            case 5 -> "SIGTRAP";
            case 6 -> "SIGABRT: aborted";
            case 7 -> "SIGBUS: bus error";
            case 8 -> "SIGFPE: arithmetic error";
            case 9 -> "SIGKILL: killed, often for want of memory";
            case 10 -> "SIGUSR1";
            case 11 -> "SIGSEGV";
            case 12 -> "SIGUSR2";
            case 13 -> "SIGPIPE";
            case 14 -> "SIGALRM";
            case 15 -> "SIGTERM";
            case 24 -> "SIGXCPU: CPU time limit";
            case 25 -> "SIGXFSZ: file size limit";
            case 31 -> "SIGSYS: bad system call";
            default -> "";
        };
    }
}
