package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.COMMAND_MISSING;
import static dev.berth.findings.diagnosis.Cause.FILE_MISSING;
import static dev.berth.findings.diagnosis.Cause.HOST_OOM;
import static dev.berth.findings.diagnosis.Cause.NCCL;
import static dev.berth.findings.diagnosis.Cause.PERMISSION;
import static dev.berth.findings.diagnosis.Cause.SEGFAULT;
import static dev.berth.findings.diagnosis.Cause.TRACEBACK;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.AT_THE_END;
import static dev.berth.findings.diagnosis.CauseRule.Where.FOLLOWING;
import static dev.berth.findings.diagnosis.CauseRule.Where.RAISED;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.ExitRule;
import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * All rules, root causes before their consequences: one rank out of GPU memory ends the others with
 * NCCL errors and the launcher with an exception, and a missing environment ends in a missing
 * module. The first rule that matches decides.
 */
final class CauseRules {

    /** Exceptions that only report the failure of another process, or a termination. */
    private static final Pattern CONSEQUENCE =
            Pattern.compile(
                    "ChildFailedError|ProcessRaisedException|ProcessExitedException"
                            + "|CalledProcessError|SubprocessError|RayTaskError|WorkerCrashedError"
                            + "|ActorDiedError|SimplifiedTraceback|BrokenPipeError|^EOFError"
                            + "|SignalException|DistBackendError|DistNetworkError|DistStoreError"
                            + "|\\bNCCL\\b|nccl[A-Z]|Connection closed by (?:remote )?peer"
                            + "|Connection reset by peer|: Caught \\w+ in "
                            + "|DataLoader worker \\(pid|exited unexpectedly"
                            + "|BrokenProcessPool|terminated abruptly");

    /** The program was interrupted or ended itself. */
    private static final Pattern INTENDED =
            Pattern.compile("^(?:KeyboardInterrupt|SystemExit|GeneratorExit)\\b");

    static final List<CauseRule> ALL =
            Stream.of(MachineRules.ALL, ProgramRules.ALL, consequences())
                    .flatMap(List::stream)
                    .toList();

    private CauseRules() {}

    private static List<CauseRule> consequences() {
        return List.of(
                new LineRule(
                                HOST_OOM,
                                STATEMENT,
                                "^Killed$|: line \\d+:\\s+\\d+ Killed\\b|\\bKilled\\s{2,}\\S")
                        .withExit(137),
                new ExitRule(HOST_OOM, 137),
                new LineRule(
                        TRACEBACK, RAISED, "^(?<exception>(?:[A-Za-z_]\\w*+\\.)*+\\w++)(?::|$)"),
                new LineRule(
                        HOST_OOM,
                        ANYWHERE,
                        "Signal 9 \\(SIGKILL\\) received by PID|exits with return code = -9\\b"
                                + "|terminated with signal SIGKILL"
                                + "|: line \\d+:\\s+\\d+ Killed\\s"),
                new LineRule(
                        SEGFAULT,
                        ANYWHERE,
                        "\\bSegmentation fault\\b(?! handler)|Signal 11 \\(SIGSEGV\\) received by"
                                + " PID|Process received signal: Segmentation|Signal: Segmentation"
                                + "|return code = -11\\b|\\(core dumped\\)|\\*\\*\\* SIGSEGV"),
                new ExitRule(SEGFAULT, 139),
                new LineRule(
                                NCCL,
                                ANYWHERE,
                                "DistBackendError|NCCL error in:|Watchdog caught collective"
                                        + " operation timeout|ncclInternalError|ncclSystemError"
                                        + "|ncclUnhandledCudaError|ncclRemoteError|ncclInvalidUsage"
                                        + "|DistStoreError|DistNetworkError|NCCL communicator was"
                                        + " aborted|NCCL failure|Timed out initializing process"
                                        + " group")
                        .first(),
                new LineRule(TRACEBACK, FOLLOWING, "^\\S"),
                new LineRule(
                        COMMAND_MISSING,
                        AT_THE_END,
                        "^\\S+: (?:line \\d+: )?(?<command>[^\\s:]+): command not found$"),
                new LineRule(
                        PERMISSION,
                        AT_THE_END,
                        "^\\S+: .{0,200}?(?<path>/?[^\\s:'‘]+)[’']?: Permission denied$"),
                new LineRule(
                        FILE_MISSING,
                        AT_THE_END,
                        "^\\S+: .{0,200}?(?<path>/?[^\\s:'‘]+)[’']?: No such file or directory$"),
                new ExitRule(COMMAND_MISSING, 127),
                new ExitRule(PERMISSION, 126));
    }

    static boolean isConsequence(AnalyzedLine entry) {
        return CONSEQUENCE.matcher(entry.text()).find();
    }

    static boolean isIntended(AnalyzedLine entry) {
        return INTENDED.matcher(entry.text()).find();
    }
}
