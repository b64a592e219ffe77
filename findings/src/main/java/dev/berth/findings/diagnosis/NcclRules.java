package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.NCCL;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** The processes of one task lost each other. */
final class NcclRules {

    static final List<CauseRule> ALL =
            List.of(
                    LineRule.of(
                                    NCCL,
                                    ANYWHERE,
                                    "DistBackendError|NCCL [Ee]rror(?: in)?: |NCCL Error \\d",
                                    "Watchdog caught collective operation timeout",
                                    "nccl(?:Internal|System|UnhandledCuda|Remote)Error",
                                    "ncclInvalidUsage|NCCL communicator was aborted",
                                    "DistStoreError|DistNetworkError|(?<!\")Rendezvous(?:Timeout|Connection|Closed)Error",
                                    "Timed out initializing process group|client socket has timed"
                                            + " out",
                                    "Horovod has been shut down|gloo/transport/\\S{1,80}\\] ",
                                    "\\bGloo connect\\w{1,20} failed|HorovodInternalError",
                                    "(?i)transport retry count(?:er)? exceeded",
                                    "\\bnccl[A-Z]\\w{2,20} failed: |Barrier timed out",
                                    "MPI processes are unable to reach each"
                                            + " other|monitoredBarrier\\b",
                                    "\\*\\*\\* (?:An error occurred in MPI_\\w+|MPI_ERR_\\w+: )",
                                    "\\bFatal error in P?MPI_\\w{3,40}",
                                    "MPI communication peer process has unexpectedly disconnected",
                                    "ORTE (?:daemon has unexpectedly failed|has lost"
                                            + " communication)",
                                    "\\bUCX {1,4}(?:ERROR|FATAL) .{0,200}?(?:[Tt]imeout|unreachable"
                                            + "|[Cc]onnection|Endpoint)",
                                    "Timed out waiting for clients|unable to reliably start one or"
                                            + " more daemons",
                                    "Socket Timeout$|: Socket Timeout\\b")
                            .first(),
                    LineRule.of(
                                    NCCL,
                                    ANYWHERE,
                                    "\\bNCCL WARN .{0,120}?\\b(?:failed|error|timed out)\\b")
                            .first(),
                    LineRule.of(
                                    NCCL,
                                    ANYWHERE,
                                    "NCCL failure|Some NCCL operations have failed or timed out")
                            .first());

    private NcclRules() {}
}
