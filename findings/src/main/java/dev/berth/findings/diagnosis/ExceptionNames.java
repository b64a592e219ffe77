package dev.berth.findings.diagnosis;

import java.util.regex.Pattern;

/** What the name of an exception says about its part in a failure. */
final class ExceptionNames {

    /** Exceptions that only report the failure of another process, or a termination. */
    private static final Pattern CONSEQUENCE =
            Pattern.compile(
                    "ChildFailedError|ProcessRaisedException|ProcessExitedException"
                        + "|CalledProcessError|SubprocessError|RayTaskError|WorkerCrashedError"
                        + "|ActorDiedError|RayActorError|TuneError|TrainingFailedError"
                        + "|RemoteTraceback|RemoteError|SimplifiedTraceback|BrokenPipeError"
                        + "|^EOFError|SignalException|DistBackendError|DistNetworkError|DistStoreError|\\bNCCL\\b|nccl[A-Z]|Connection"
                        + " closed by (?:remote )?peer|Connection reset by peer|: Caught \\w+ in"
                        + " |DataLoader worker \\(pid|exited"
                        + " unexpectedly|BrokenProcessPool|terminated"
                        + " abruptly|TerminatedWorkerError|[Ss]ee root cause"
                        + " above|EngineDeadError|Engine process failed|Engine core init|look up to"
                        + " see its traceback|[Tt]raceback of TorchScript|failed with exit"
                        + " ?code|returned non-zero exit status|_OrtoolsWorker|WorkerFailed"
                        + "|MPI_ABORT|RendezvousConnectionError|RendezvousClosedError"
                        + "|RendezvousTimeoutError|\\bGloo\\b|gloo/transport/|HorovodInternalError|root"
                        + " error\\(s\\) found|Barrier timed out|monitoredBarrier\\b|Horovod has"
                        + " been shut down|Timed out initializing process group|Socket"
                        + " Timeout|client socket has timed out|Timed out waiting for"
                        + " clients|background workers are no longer alive|^RuleException|No best"
                        + " trial found|Trials did not complete|^\\w{0,30}Error: \\S{1,40}"
                        + " failed\\.?$|[Cc]heck the (?:log|output|print)|[Ll]ook at the errors"
                        + " above|[Ss]ee (?:the )?(?:log|output|error|message|traceback)s?"
                        + " (?:above|for)");

    /** Raised if the processes of a task do not find each other. */
    private static final Pattern RANK =
            Pattern.compile("\\bRendezvous\\w{3,20}Error|\\bDist(?:Store|Network)Error|TCPStore");

    /** The program was interrupted or ended itself. */
    private static final Pattern INTENDED =
            Pattern.compile("^(?:KeyboardInterrupt|SystemExit|GeneratorExit)\\b");

    /** Raised by a lookup that the program tries before another way. */
    private static final Pattern LOOKUP =
            Pattern.compile(
                    "^(?:KeyError|IndexError|AttributeError|StopIteration|ImportError"
                            + "|ModuleNotFoundError|(?:_queue|queue)\\.Empty|LookupError)\\b");

    /** Says little about the failure, so the exception before it is the cause. */
    private static final Pattern GENERIC =
            Pattern.compile("^(?:[\\w.]{0,80}\\.)?(?:RuntimeError|Exception|SystemError)\\b");

    /** Raised because the wrong environment is active. */
    private static final Pattern MISSING =
            Pattern.compile(
                    "^(?:ModuleNotFoundError|ImportError|SyntaxError|[\\w.]{0,60}NotFoundError)\\b");

    /** Names a place in a text, but not the file: the exception raised from it does. */
    private static final Pattern FORMAT =
            Pattern.compile("^(?:[\\w.]{0,80}\\.)?(?:JSONDecodeError|Unicode\\w{2,10}Error)\\b");

    private ExceptionNames() {}

    static boolean isFormat(String exception) {
        return FORMAT.matcher(exception).find();
    }

    static boolean isConsequence(String exception) {
        return CONSEQUENCE.matcher(exception).find();
    }

    /** Whether the exception is a consequence of a failure with this cause. */
    static boolean follows(String exception, Cause cause) {
        return cause == Cause.GPU_HARDWARE
                || (cause == Cause.CONDA && MISSING.matcher(exception).find());
    }

    static boolean isRank(String exception) {
        return RANK.matcher(exception).find();
    }

    static boolean isIntended(String exception) {
        return INTENDED.matcher(exception).find();
    }

    static boolean isLookup(String exception) {
        return LOOKUP.matcher(exception).find();
    }

    static boolean isGeneric(String exception) {
        return GENERIC.matcher(exception).find();
    }
}
