package dev.berth.runs;

import dev.berth.wire.LaneState;
import dev.berth.wire.ProcessState;
import dev.berth.wire.RunState;

import java.util.List;
import java.util.stream.Collectors;

/** Formats the status of a run for its log: each lane, then the counts. */
final class RunStatusText {

    private RunStatusText() {}

    /** Indented lines, each with a line end. */
    static String of(RunState run) {
        var text = new StringBuilder();
        run.queues()
                .forEach(
                        (queue, lane) ->
                                text.append("  queue ")
                                        .append(queue)
                                        .append(": ")
                                        .append(laneStatus(lane))
                                        .append('\n'));
        return text.append("  ").append(counts(run)).append('\n').toString();
    }

    static String counts(RunState run) {
        return "pending "
                + run.pending()
                + " running "
                + run.running()
                + " completed "
                + run.completed()
                + " failed "
                + run.failed()
                + (run.cancelled() > 0 ? " cancelled " + run.cancelled() : "");
    }

    private static String laneStatus(LaneState lane) {
        var next = nextTask(lane);
        return switch (lane.status()) {
            case "busy" ->
                    "busy, task " + lane.current() + gpuText(lane.gpus()) + " " + progress(lane);
            case "backoff" -> "idle, task " + next + " rests until " + lane.backoffUntil();
            case "done" -> "idle, done " + progress(lane);
            default -> "idle, task " + next + " waits " + progress(lane);
        };
    }

    private static String nextTask(LaneState lane) {
        return lane.processes().stream()
                .filter(process -> process.status().equals("pending"))
                .map(ProcessState::taskId)
                .map(String::valueOf)
                .findFirst()
                .orElse("-");
    }

    static String gpuText(List<Integer> gpus) {
        return gpus.isEmpty()
                ? ""
                : " on GPU " + gpus.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static String progress(LaneState lane) {
        return "(" + lane.completed() + " of " + lane.total() + " completed)";
    }
}
