package dev.berth.cli.command.task;

import dev.berth.cli.call.CliClock;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.TaskDetail;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Waits for the end of a task and converts its result into an exit status. */
public final class TaskCompletion {

    /** Tasks keep running while their server is down, so the wait continues across a restart. */
    public static final Duration MAX_OUTAGE = Duration.ofMinutes(1);

    private static final int WAIT_SECONDS = 30;

    /** Limits the request rate if the server replies at once instead of holding the request. */
    private static final Duration MIN_INTERVAL = Duration.ofMillis(200);

    private static final int CANCELLED = 130;
    private static final int MAX_EXIT_CODE = 255;

    private TaskCompletion() {}

    public static boolean isFinal(String status) {
        return status.equals("completed") || status.equals("failed") || status.equals("cancelled");
    }

    /** The task after its end, as the server reports it. */
    static ApiReply await(long id, ServerConnection connection, CliClock time)
            throws InterruptedException {
        ApiRequest request =
                ApiRequest.get("/api/tasks/" + id + "/wait?seconds=" + WAIT_SECONDS)
                        .withTimeout(ApiRequest.DEFAULT_TIMEOUT.plusSeconds(WAIT_SECONDS));
        while (true) {
            Instant sentAt = time.now();
            ApiReply reply = connection.sendWithRetries(MAX_OUTAGE, request);
            if (isFinal(WireReader.taskDetail(connection.json(reply)).header().status())) {
                return reply;
            }
            if (Duration.between(sentAt, time.now()).compareTo(MIN_INTERVAL) < 0) {
                time.sleep(MIN_INTERVAL);
            }
        }
    }

    /**
     * 0 for success, the command's exit code if it failed with one, 130 if cancelled, otherwise 1.
     */
    static int exitStatus(TaskDetail task) {
        if (task.header().status().equals("completed")) {
            return 0;
        }
        if (task.header().status().equals("cancelled")) {
            return CANCELLED;
        }
        Integer code = task.result().exitCode();
        return code != null && code > 0 && code <= MAX_EXIT_CODE ? code : 1;
    }

    /** What a user reads who interrupts a command that waits for tasks. */
    static String interruption(List<Long> ids) {
        String numbers = String.join(" ", ids.stream().map(String::valueOf).toList());
        return (ids.size() == 1 ? "task " + numbers + " continues" : "the tasks continue")
                + "; `berth wait "
                + numbers
                + "` waits again, `berth cancel "
                + numbers
                + "` ends "
                + (ids.size() == 1 ? "it" : "them");
    }

    /** {@code failed: exit code 3}. */
    static String describe(TaskDetail task) {
        String error = task.result().error();
        return SafeText.line(
                error == null || error.isEmpty()
                        ? task.header().status()
                        : task.header().status() + ": " + error);
    }
}
