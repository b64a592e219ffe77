package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.COMMAND_MISSING;
import static dev.berth.findings.diagnosis.Cause.HOST_OOM;
import static dev.berth.findings.diagnosis.Cause.PERMISSION;
import static dev.berth.findings.diagnosis.Cause.SEGFAULT;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.ExitRule;
import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;
import java.util.regex.Pattern;

/** Processes that a signal ended. */
final class CrashRules {

    private static final String[] KILLED_CHILD = {
        "Signal 9 \\(SIGKILL\\) received by PID",
        "exits with return code = -9\\b|terminated with signal SIGKILL",
        "exited on signal 9 \\(Killed\\)|died with <Signals\\.SIGKILL: 9>",
        "EXIT STRING: Killed \\(signal 9\\)|terminated with an error exit status \\(137\\)"
                + "(?! -- (?:Execution is retried|Error is ignored))",
        "non-zero exit status (?:137|-9)\\b|\\bmake(?:\\[\\d+\\])?: \\*\\*\\*"
                + " .{1,200}?(?:Killed|Error 137)$"
    };

    /** Killed by the kernel, or by a launcher after another process has failed. */
    private static final String[] KILLED_TASK = {
        ": line \\d+:\\s+\\d+ Killed\\s", "^srun: error: \\S{1,80}: tasks? [\\d,-]+: Killed"
    };

    /** Only the kernel and people send SIGKILL, so no line of the program explains it. */
    static final List<CauseRule> KILLED =
            List.of(
                    LineRule.of(
                                    HOST_OOM,
                                    STATEMENT,
                                    "^Killed$|: line \\d+:\\s+\\d+ Killed\\b|\\bKilled\\s{2,}\\S")
                            .withExit(137),
                    LineRule.of(HOST_OOM, ANYWHERE, KILLED_CHILD).first().withExit(137),
                    LineRule.of(HOST_OOM, ANYWHERE, KILLED_TASK).first().withExit(137),
                    new ExitRule(HOST_OOM, 137));

    static final List<CauseRule> CRASHED =
            List.of(
                    LineRule.of(HOST_OOM, ANYWHERE, KILLED_CHILD).first(),
                    LineRule.of(HOST_OOM, STATEMENT, "^Killed$"),
                    LineRule.of(
                                    SEGFAULT,
                                    ANYWHERE,
                                    "\\*\\*\\* SIG(?:SEGV|BUS|FPE|ILL)\\b",
                                    "^\\s{0,4}\\*\\*\\* caught (?:segfault|bus error|illegal"
                                            + " operation)",
                                    "^#\\s{1,4}SIG(?:SEGV|BUS|FPE|ILL) \\(0x",
                                    "==\\d{1,9}==ERROR: \\w{3,20}Sanitizer: ",
                                    "\\bSignal: (?:Segmentation|Bus|Floating|Illegal)",
                                    "^Fatal Python error: (?!Aborted|_Py|init_|Py_Init)")
                            .first(),
                    LineRule.of(
                            SEGFAULT,
                            ANYWHERE,
                            "Signal (?:4|7|8|11) \\(SIG(?:ILL|BUS|FPE|SEGV)\\) received by PID",
                            "exited on signal (?:4|7|8|11) \\(",
                            "return code = -(?:4|7|8|11)\\b",
                            "terminated with signal SIG(?:SEGV|BUS|ILL|FPE|ABRT)\\b",
                            "\\bSegmentation fault\\b(?! (?!at |in |by |occur|encounter|detect|is"
                                    + " |was |\\()\\w)",
                            "\\b(?:Bus error|Floating point exception|Illegal instruction)"
                                    + "(?:\\s{0,8}\\(core dumped\\)|$|\\s{2,}\\S)",
                            "\\bdumped core\\b|A fatal error has been detected by the Java"
                                    + " Runtime"),
                    new ExitRule(SEGFAULT, 139));

    /** A launcher also kills the other processes after one has lost them. */
    static final List<CauseRule> KILLED_AFTERWARDS =
            List.of(LineRule.of(HOST_OOM, ANYWHERE, KILLED_TASK).first());

    /** A program aborts on what it found itself, so its own words go before the shell's. */
    static final List<CauseRule> ABORTED =
            List.of(
                    LineRule.of(
                                    SEGFAULT,
                                    ANYWHERE,
                                    "^Check failed: |\\] Check failed: |^libc\\+\\+abi: terminating"
                                            + " ",
                                    "^\\s{0,4}what\\(\\):\\s{1,4}\\S",
                                    "^(?:\\*\\*\\* Error in .{1,200}?:"
                                        + " )?(?:munmap_chunk|free|malloc|realloc|malloc_consolidate|_int_\\w{3,10})\\(\\):"
                                        + " ",
                                    "^double free or corruption|^corrupted (?:size|double-linked)",
                                    "\\*\\*\\* stack smashing detected|\\*\\*\\* buffer overflow"
                                            + " detected",
                                    "^malloc\\.c:\\d{1,6}: |: Assertion [`'].{1,200}?' failed\\.",
                                    "^Fatal Python error: ")
                            .first(),
                    LineRule.of(
                                    SEGFAULT,
                                    ANYWHERE,
                                    "^terminate called ",
                                    "\\*\\*\\* SIGABRT\\b|Signal 6 \\(SIGABRT\\) received by PID",
                                    "exited on signal 6 \\(|return code = -6\\b",
                                    "\\bAborted\\b(?:\\s{0,8}\\(core dumped\\)|$|\\s{2,}\\S)",
                                    "\\(core dumped\\)")
                            .first());

    static final List<CauseRule> EXIT_CODES =
            List.of(new ExitRule(COMMAND_MISSING, 127), new ExitRule(PERMISSION, 126));

    static final List<CauseRule> CRASH_CODES =
            List.of(
                    new ExitRule(SEGFAULT, 132),
                    new ExitRule(SEGFAULT, 134),
                    new ExitRule(SEGFAULT, 135),
                    new ExitRule(SEGFAULT, 136));

    /** What a shell, a launcher or the runtime says about an abort, not the program itself. */
    private static final Pattern REPORT =
            Pattern.compile(
                    "^terminate called|\\bAborted\\b|core dumped|SIGABRT|on signal 6|= -6\\b");

    private CrashRules() {}

    static boolean isReport(String line) {
        return REPORT.matcher(line).find();
    }
}
