package dev.berth.cli.command;

import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;
import dev.berth.wire.LaneState;
import dev.berth.wire.ProcessState;
import dev.berth.wire.RunState;

import java.util.Map;
import java.util.OptionalLong;

/** How a run ended, for people and for a shell. */
final class RunOutcome {

    /** A screen; the rest is counted. */
    private static final int MOST_FAILURES = 20;

    private RunOutcome() {}

    /**
     * @return 0 where all of it completed, else 1
     */
    static int tell(RunState run, boolean json, Surroundings around) {
        if (!json) {
            failures(run, around);
            around.out()
                    .println(
                            "run "
                                    + run.pid()
                                    + " "
                                    + Clean.line(run.status())
                                    + took(run)
                                    + ": "
                                    + RunText.counts(run));
            around.out().flush();
        }
        return run.status().equals("finished") && run.completed() == run.total() ? 0 : 1;
    }

    private static void failures(RunState run, Surroundings around) {
        int told = 0;
        for (Map.Entry<String, LaneState> lane : run.queues().entrySet()) {
            for (ProcessState process : lane.getValue().processes()) {
                if (process.status().equals("failed") && told++ < MOST_FAILURES) {
                    String error = process.error();
                    around.out()
                            .println(
                                    "lane "
                                            + Clean.line(lane.getKey())
                                            + ": task "
                                            + process.taskId()
                                            + " failed"
                                            + (error == null ? "" : ": " + Clean.line(error))
                                            + " (berth logs "
                                            + process.taskId()
                                            + ")");
                }
            }
        }
        if (told > MOST_FAILURES) {
            around.out().println("… and " + (told - MOST_FAILURES) + " more failed");
        }
    }

    private static String took(RunState run) {
        OptionalLong start = Moment.epochSecond(run.startedAt());
        OptionalLong end = Moment.epochSecond(run.endedAt());
        return start.isEmpty() || end.isEmpty()
                ? ""
                : " after " + Age.full(end.getAsLong() - start.getAsLong());
    }
}
