package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.command.task.TaskTable;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.LaneState;
import dev.berth.wire.ProcessState;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/** Prints a line for each change, for logs and pipes. */
final class RunLogView implements RunView {

    private static final int TIME_START = "2025-01-31 ".length();

    private final CallContext context;
    private final Map<Long, ProcessState> lastStates = new HashMap<>();
    private @Nullable RunState lastRun;

    RunLogView(CallContext context) {
        this.context = context;
    }

    @Override
    public void show(RunState now) {
        RunState before = lastRun;
        for (Map.Entry<String, LaneState> lane : now.queues().entrySet()) {
            for (ProcessState process : lane.getValue().processes()) {
                ProcessState previous = lastStates.put(process.taskId(), process);
                printChanges(lane.getKey(), previous, process);
            }
        }
        String reason = now.reason();
        if (reason != null && !Objects.equals(reason, before == null ? null : before.reason())) {
            print("no task of it can start: " + reason);
        }
        if (now.status().equals("stopping")
                && (before == null || !before.status().equals("stopping"))) {
            print("stopping");
        }
        lastRun = now;
        context.out().flush();
    }

    private void printChanges(String lane, @Nullable ProcessState previous, ProcessState now) {
        String task = "lane " + lane + ": task " + now.taskId();
        int retries = previous == null ? 0 : previous.retryCount();
        if (now.retryCount() > retries) {
            print(task + " failed" + errorSuffix(now) + "; retry " + now.retryCount());
        }
        String backoffUntil = now.backoffUntil();
        if (backoffUntil != null
                && !Objects.equals(
                        backoffUntil, previous == null ? null : previous.backoffUntil())) {
            OptionalLong end = TimestampText.parseEpochSecond(backoffUntil);
            print(
                    task
                            + " waits for its retry"
                            + (end.isEmpty() ? "" : " at " + time(end.getAsLong())));
        }
        String before = previous == null ? "pending" : previous.status();
        if (now.status().equals(before)) {
            return;
        }
        String gpus = TaskTable.joinNumbers(now.gpus());
        switch (now.status()) {
            case "running" -> print(task + " runs" + (gpus.isEmpty() ? "" : " on " + gpus));
            case "failed" -> print(task + " failed" + errorSuffix(now));
            case "pending" -> {}
            default -> print(task + " " + now.status());
        }
    }

    private static String errorSuffix(ProcessState process) {
        String error = process.error();
        return error == null || error.isEmpty() ? "" : ": " + error;
    }

    private void print(String text) {
        context.out()
                .println(time(context.clock().now().getEpochSecond()) + " " + SafeText.line(text));
    }

    private String time(long second) {
        return TimestampText.format(second, context.clock().offsetAt(second)).substring(TIME_START);
    }
}
