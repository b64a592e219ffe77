package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.LaneState;
import dev.berth.wire.ProcessState;
import dev.berth.wire.RunState;

import java.util.Map;
import java.util.OptionalLong;

/** The result of a run, as text and as exit status. */
final class RunOutcome {

    /** As many as fit on a screen; further failures are only counted. */
    private static final int MAX_FAILURES = 20;

    private RunOutcome() {}

    /**
     * @return 0 if all tasks completed, otherwise 1
     */
    static int print(RunState run, boolean json, CallContext context) {
        if (!json) {
            printFailures(run, context);
            context.out()
                    .println(
                            "run "
                                    + run.pid()
                                    + " "
                                    + SafeText.line(run.status())
                                    + duration(run)
                                    + ": "
                                    + RunText.counts(run));
            context.out().flush();
        }
        return run.status().equals("finished") && run.completed() == run.total() ? 0 : 1;
    }

    private static void printFailures(RunState run, CallContext context) {
        int failed = 0;
        for (Map.Entry<String, LaneState> lane : run.queues().entrySet()) {
            for (ProcessState process : lane.getValue().processes()) {
                if (process.status().equals("failed") && failed++ < MAX_FAILURES) {
                    String error = process.error();
                    context.out()
                            .println(
                                    "lane "
                                            + SafeText.line(lane.getKey())
                                            + ": task "
                                            + process.taskId()
                                            + " failed"
                                            + (error == null ? "" : ": " + SafeText.line(error))
                                            + " (berth logs "
                                            + process.taskId()
                                            + ")");
                }
            }
        }
        if (failed > MAX_FAILURES) {
            context.out().println("… and " + (failed - MAX_FAILURES) + " more failed");
        }
    }

    private static String duration(RunState run) {
        OptionalLong start = TimestampText.parseEpochSecond(run.startedAt());
        OptionalLong end = TimestampText.parseEpochSecond(run.endedAt());
        return start.isEmpty() || end.isEmpty()
                ? ""
                : " after " + DurationText.full(end.getAsLong() - start.getAsLong());
    }
}
