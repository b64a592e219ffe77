package dev.berth.findings.diagnosis;

import java.util.List;
import java.util.Locale;

/**
 * One line of a log and its role.
 *
 * @param line as it was printed
 * @param prefix prefix by which a launcher marks the lines of one of its processes
 * @param text the line without the prefix
 */
record AnalyzedLine(String line, String prefix, String text, Role role) {

    /**
     * Every line that a rule matches contains one of these, in any case. Most lines contain none,
     * and a substring search is much cheaper than a pattern.
     */
    private static final List<String> KEYWORDS =
            List.of(
                    "error",
                    "exception",
                    "memory",
                    "oom",
                    "kill",
                    "alloc",
                    "xid",
                    "uncorr",
                    "gpu",
                    "cuda",
                    "cudnn",
                    "cublas",
                    "nvidia",
                    "nvml",
                    "driver",
                    "device",
                    "nccl",
                    "exhausted",
                    "(shm)",
                    "no space",
                    "quota",
                    "disk is full",
                    "space",
                    "conda",
                    "not found",
                    "not been properly",
                    "prefix",
                    "version",
                    "initialized",
                    "compiled",
                    "kernel image",
                    "compatibility",
                    "shared object",
                    "in use",
                    "eaddrinuse",
                    "bind to port",
                    "retry(",
                    "unable to access",
                    "ssh:",
                    "resolution",
                    "distribution",
                    "wheel",
                    "cannot install",
                    "no module",
                    "denied",
                    "cannot execute",
                    "no such",
                    "can't",
                    "option",
                    "signal",
                    "segmentation",
                    "core dumped",
                    "sigsegv",
                    "return code",
                    "timeout",
                    "timed out");

    enum Role {
        /** Inside a traceback. */
        FRAME,
        /** The last line of a traceback. */
        EXCEPTION,
        /** Looks like an exception, but without a traceback before it. */
        BARE,
        PLAIN
    }

    boolean isException() {
        return role == Role.EXCEPTION;
    }

    boolean isCandidate() {
        if (role != Role.PLAIN) {
            return role != Role.FRAME;
        }
        var lower = text.toLowerCase(Locale.ROOT);
        return KEYWORDS.stream().anyMatch(lower::contains);
    }

    boolean isIndented() {
        return Character.isWhitespace(text.charAt(0));
    }
}
