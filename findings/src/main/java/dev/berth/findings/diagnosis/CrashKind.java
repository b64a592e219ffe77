package dev.berth.findings.diagnosis;

import java.util.Locale;
import java.util.regex.Pattern;

/** How native code ended, by the decisive line. */
enum CrashKind {
    SEGMENTATION,
    /** A page of a mapped file or of shared memory is gone. */
    BUS,
    /** The processor does not know an instruction. */
    INSTRUCTION,
    /** The program ended itself after a failed check or an exception that nothing caught. */
    ABORT;

    private static final Pattern BUS_ERROR = Pattern.compile("(?i)\\bbus error|SIGBUS");
    private static final Pattern ILLEGAL = Pattern.compile("(?i)illegal instruction|SIGILL");
    private static final Pattern ABORTED =
            Pattern.compile(
                    "(?i)abort|SIGABRT|check failed|what\\(\\)|\\bterminate called|\\(\\): |corrupt"
                            + "|Assertion|smashing|signal 6\\b|= -6\\b");

    static CrashKind of(String line) {
        if (BUS_ERROR.matcher(line).find()) {
            return BUS;
        }
        if (ILLEGAL.matcher(line).find()) {
            return INSTRUCTION;
        }
        return ABORTED.matcher(line).find() ? ABORT : SEGMENTATION;
    }

    String variant() {
        return this == SEGMENTATION ? "" : name().toLowerCase(Locale.ROOT);
    }
}
