package dev.berth.core.diagnosis;

import static dev.berth.core.diagnosis.Cause.COMMAND_MISSING;
import static dev.berth.core.diagnosis.Cause.FILE_MISSING;
import static dev.berth.core.diagnosis.Cause.HOST_OOM;
import static dev.berth.core.diagnosis.Cause.NCCL;
import static dev.berth.core.diagnosis.Cause.PERMISSION;
import static dev.berth.core.diagnosis.Cause.SEGFAULT;
import static dev.berth.core.diagnosis.Cause.TRACEBACK;
import static dev.berth.core.diagnosis.Rule.Where.ANYWHERE;
import static dev.berth.core.diagnosis.Rule.Where.AT_THE_END;
import static dev.berth.core.diagnosis.Rule.Where.FOLLOWING;
import static dev.berth.core.diagnosis.Rule.Where.RAISED;
import static dev.berth.core.diagnosis.Rule.Where.STATEMENT;

import dev.berth.core.diagnosis.Rule.Exit;
import dev.berth.core.diagnosis.Rule.Text;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Everything that shows a cause, the root before what follows from it: a card that is out of memory
 * on one rank ends the others with NCCL errors and the launcher with an exception, and an
 * environment that is not there ends in a missing module. The first rule that holds decides.
 */
final class Rules {

    /** Exceptions that only tell of somebody else's failure, or of being ended. */
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

    /** Somebody ended it, or it ended itself. */
    private static final Pattern WISHED =
            Pattern.compile("^(?:KeyboardInterrupt|SystemExit|GeneratorExit)\\b");

    static final List<Rule> ALL =
            Stream.of(MachineRules.ALL, ProgramRules.ALL, consequences())
                    .flatMap(List::stream)
                    .toList();

    private Rules() {}

    private static List<Rule> consequences() {
        return List.of(
                new Text(
                                HOST_OOM,
                                STATEMENT,
                                "^Killed$|: line \\d+:\\s+\\d+ Killed\\b|\\bKilled\\s{2,}\\S")
                        .withExit(137),
                new Exit(HOST_OOM, 137),
                new Text(TRACEBACK, RAISED, "^(?<exception>(?:[A-Za-z_]\\w*+\\.)*+\\w++)(?::|$)"),
                new Text(
                        HOST_OOM,
                        ANYWHERE,
                        "Signal 9 \\(SIGKILL\\) received by PID|exits with return code = -9\\b"
                                + "|terminated with signal SIGKILL"
                                + "|: line \\d+:\\s+\\d+ Killed\\s"),
                new Text(
                        SEGFAULT,
                        ANYWHERE,
                        "\\bSegmentation fault\\b(?! handler)|Signal 11 \\(SIGSEGV\\) received by"
                                + " PID|Process received signal: Segmentation|Signal: Segmentation"
                                + "|return code = -11\\b|\\(core dumped\\)|\\*\\*\\* SIGSEGV"),
                new Exit(SEGFAULT, 139),
                new Text(
                                NCCL,
                                ANYWHERE,
                                "DistBackendError|NCCL error in:|Watchdog caught collective"
                                        + " operation timeout|ncclInternalError|ncclSystemError"
                                        + "|ncclUnhandledCudaError|ncclRemoteError|ncclInvalidUsage"
                                        + "|DistStoreError|DistNetworkError|NCCL communicator was"
                                        + " aborted|NCCL failure|Timed out initializing process"
                                        + " group")
                        .first(),
                new Text(TRACEBACK, FOLLOWING, "^\\S"),
                new Text(
                        COMMAND_MISSING,
                        AT_THE_END,
                        "^\\S+: (?:line \\d+: )?(?<command>[^\\s:]+): command not found$"),
                new Text(
                        PERMISSION,
                        AT_THE_END,
                        "^\\S+: .{0,200}?(?<path>/?[^\\s:'‘]+)[’']?: Permission denied$"),
                new Text(
                        FILE_MISSING,
                        AT_THE_END,
                        "^\\S+: .{0,200}?(?<path>/?[^\\s:'‘]+)[’']?: No such file or directory$"),
                new Exit(COMMAND_MISSING, 127),
                new Exit(PERMISSION, 126));
    }

    /** Whether this exception only tells of another failure. */
    static boolean isConsequence(Entry entry) {
        return CONSEQUENCE.matcher(entry.said()).find();
    }

    /** Whether this exception is a wish and no failure. */
    static boolean isWished(Entry entry) {
        return WISHED.matcher(entry.said()).find();
    }
}
