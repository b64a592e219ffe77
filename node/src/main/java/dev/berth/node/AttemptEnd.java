package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.node.process.ProcessSet;
import dev.berth.node.process.Sweep;
import dev.berth.port.Fact;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Ends the processes of one attempt and reports its end. */
final class AttemptEnd {

    private static final Logger log = LoggerFactory.getLogger(AttemptEnd.class);

    private static final Duration STUCK_PAUSE = Duration.ofSeconds(5);

    private final AttemptId id;
    private final Optional<String> reportKey;
    private final NodeContext context;

    /** True once a stop was requested. The log of a stopped attempt is not diagnosed. */
    private volatile boolean isStopRequested;

    /** A person decided that it is over: the engine has recorded its end. */
    private volatile boolean isForgotten;

    private boolean isReported;

    /**
     * @param reportKey under which its script reports its own end, if it does
     */
    AttemptEnd(AttemptId id, Optional<String> reportKey, NodeContext context) {
        this.id = id;
        this.reportKey = reportKey;
        this.context = context;
    }

    void requestStop() {
        isStopRequested = true;
    }

    boolean isStopRequested() {
        return isStopRequested;
    }

    void forget() {
        isForgotten = true;
    }

    boolean isReported() {
        return isReported;
    }

    /**
     * Ends all processes of the set. Returns when none is left, or when a person decided that the
     * attempt is over.
     *
     * @param signals any of them cuts the pause between two tries short
     */
    Sweep.Report sweep(ProcessSet set, RunnerSignals signals)
            throws IOException, InterruptedException {
        var report = context.sweep().run(set, limits(context.settings().stopGrace()));
        while (!report.stuck().isEmpty() && !isForgotten) {
            log.error(
                    "task={} attempt={} cannot be ended: {}",
                    id.task(),
                    id.number(),
                    report.stuck());
            context.report(new Fact.Stuck(id, LeftoverFacts.describe(report.stuck())));
            var _ = signals.poll(STUCK_PAUSE);
            if (!isForgotten) {
                report = context.sweep().run(set, limits(Duration.ZERO));
            }
        }
        return report;
    }

    private static Sweep.SweepLimits limits(Duration termGrace) {
        return new Sweep.SweepLimits(termGrace, Sweep.SweepLimits.KILL_TIMEOUT);
    }

    /**
     * @param start is stored together with the end
     * @param stored is called once the end is durable, if this process learns that
     */
    record ReportTerms(Optional<Fact> start, Runnable stored) {
        static final ReportTerms NONE = new ReportTerms(Optional.empty(), () -> {});
    }

    void report(Ending ending, Optional<Sweep.Report> swept) {
        report(ending, swept, ReportTerms.NONE);
    }

    void report(Ending ending, Optional<Sweep.Report> swept, ReportTerms terms) {
        isReported = true;
        context.removeCgroup(id);
        context.owners().end(id);
        if (isForgotten) {
            terms.start().ifPresent(context::report);
            context.gpus().awaitRelease(id);
            return;
        }
        var leftovers = swept.map(LeftoverFacts::of).orElse(List.of());
        var findings = findings(ending);
        // Nothing of the attempt runs any more that could still write its report.
        var report = reportKey.flatMap(context.reports()::of);
        boolean hasReleasedGpus = context.gpus().release(id, hasRun(ending));
        var ended = new Fact.Ended(id, ending, leftovers, hasReleasedGpus, findings, report);
        context.report(
                Stream.concat(terms.start().stream(), Stream.of(ended)).toList(), terms.stored());
        if (!hasReleasedGpus) {
            context.gpus().awaitRelease(id);
        }
    }

    /** Runs before the attempt leaves its GPUs, so that the last reading of the GPUs counts too. */
    private AttemptFindings findings(Ending ending) {
        var diagnosis =
                isStopRequested || ending.error().isEmpty()
                        ? Optional.<Diagnosis>empty()
                        : LogDiagnosis.of(id, context.directory(id), ending);
        return new AttemptFindings(diagnosis, context.gpus().consumption(id));
    }

    /** True if {@link #report} of this exit code reads no file. */
    boolean isReportedFromMemory(int code) {
        return code == 0 && reportKey.isEmpty();
    }

    static boolean hasRun(Ending ending) {
        return switch (ending) {
            case Ending.Exited _, Ending.Vanished _ -> true;
            case Ending.MachineRestarted _,
                    Ending.NeverStarted _,
                    Ending.LaunchFailed _,
                    Ending.NotLaunched _,
                    Ending.StartTimedOut _,
                    Ending.Interrupted _,
                    Ending.CallFailed _ ->
                    false;
        };
    }
}
