package dev.berth.cli.command;

import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;
import dev.berth.wire.LaneState;
import dev.berth.wire.ProcessState;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/** A line for each thing that changed, for logs and pipes. */
final class RunLines implements RunView {

    private static final int TIME_AT = "2025-01-31 ".length();

    private final Surroundings around;
    private final Map<Long, ProcessState> known = new HashMap<>();
    private @Nullable RunState last;

    RunLines(Surroundings around) {
        this.around = around;
    }

    @Override
    public void show(RunState now) {
        RunState before = last;
        for (Map.Entry<String, LaneState> lane : now.queues().entrySet()) {
            for (ProcessState process : lane.getValue().processes()) {
                ProcessState was = known.put(process.taskId(), process);
                changed(lane.getKey(), was, process);
            }
        }
        String reason = now.reason();
        if (reason != null && !Objects.equals(reason, before == null ? null : before.reason())) {
            say("nothing of it can start: " + reason);
        }
        if (now.status().equals("stopping")
                && (before == null || !before.status().equals("stopping"))) {
            say("stopping");
        }
        last = now;
        around.out().flush();
    }

    private void changed(String lane, @Nullable ProcessState was, ProcessState now) {
        String task = "lane " + lane + ": task " + now.taskId();
        int retries = was == null ? 0 : was.retryCount();
        if (now.retryCount() > retries) {
            say(task + " failed" + why(now) + "; retry " + now.retryCount());
        }
        String rest = now.backoffUntil();
        if (rest != null && !Objects.equals(rest, was == null ? null : was.backoffUntil())) {
            OptionalLong end = Moment.epochSecond(rest);
            say(task + " rests" + (end.isEmpty() ? "" : " until " + time(end.getAsLong())));
        }
        String before = was == null ? "pending" : was.status();
        if (now.status().equals(before)) {
            return;
        }
        String gpus = TaskTable.list(now.gpus());
        switch (now.status()) {
            case "running" -> say(task + " runs" + (gpus.isEmpty() ? "" : " on " + gpus));
            case "failed" -> say(task + " failed" + why(now));
            case "pending" -> {}
            default -> say(task + " " + now.status());
        }
    }

    private static String why(ProcessState process) {
        String error = process.error();
        return error == null || error.isEmpty() ? "" : ": " + error;
    }

    private void say(String text) {
        around.out().println(time(around.time().now().getEpochSecond()) + " " + Clean.line(text));
    }

    private String time(long second) {
        ZoneOffset offset =
                around.time().zone().getRules().getOffset(Instant.ofEpochSecond(second));
        return Moment.shown(second, offset).substring(TIME_AT);
    }
}
