package dev.berth.core.diagnosis;

import java.util.List;
import java.util.Locale;

/**
 * One line of a log and what part it plays.
 *
 * @param line as it was printed
 * @param speaker what a launcher put before the lines of one of its processes
 * @param said the line without that
 */
record Entry(String line, String speaker, String said, Role role) {

    /**
     * Every rule's pattern holds one of these, in whatever case. Most lines hold none, and looking
     * for words is much cheaper than for patterns.
     */
    private static final List<String> TELLING =
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
        /** Within a traceback. */
        FRAME,
        /** What a traceback comes to. */
        EXCEPTION,
        /** Looks like an exception, but no traceback led to it. */
        BARE,
        PLAIN
    }

    boolean isException() {
        return role == Role.EXCEPTION;
    }

    boolean isTelling() {
        if (role != Role.PLAIN) {
            return role != Role.FRAME;
        }
        var lower = said.toLowerCase(Locale.ROOT);
        return TELLING.stream().anyMatch(lower::contains);
    }

    boolean isIndented() {
        return Character.isWhitespace(said.charAt(0));
    }
}
