package dev.berth.cli.command;

import dev.berth.cli.call.Time;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Clean;
import dev.berth.wire.TaskDetail;

import java.time.Duration;
import java.time.Instant;

/** The end of a task: waiting for it, and what it means to a shell. */
final class Ending {

    /** Tasks run on while their server is away, so whoever waits for one stays too. */
    static final Duration OUTAGE = Duration.ofMinutes(1);

    private static final int ASK_SECONDS = 30;

    /** Should the server not hold the question, it is not to be flooded with it. */
    private static final Duration AT_LEAST = Duration.ofMillis(200);

    private static final int CANCELLED = 130;
    private static final int GREATEST_EXIT_CODE = 255;

    private Ending() {}

    static boolean isFinal(String status) {
        return status.equals("completed") || status.equals("failed") || status.equals("cancelled");
    }

    /** The server's word about the task once it has ended. */
    static Reply await(long id, Link link, Time time) throws InterruptedException {
        Request request =
                Request.get("/api/tasks/" + id + "/wait?seconds=" + ASK_SECONDS)
                        .within(Request.PATIENCE.plusSeconds(ASK_SECONDS));
        while (true) {
            Instant asked = time.now();
            Reply reply = link.askThrough(OUTAGE, request);
            if (isFinal(WireReader.detail(link.json(reply)).status())) {
                return reply;
            }
            if (Duration.between(asked, time.now()).compareTo(AT_LEAST) < 0) {
                time.pause(AT_LEAST);
            }
        }
    }

    /** 0 for success, the command's own exit code if it failed with one, else something else. */
    static int exitStatus(TaskDetail task) {
        if (task.status().equals("completed")) {
            return 0;
        }
        if (task.status().equals("cancelled")) {
            return CANCELLED;
        }
        Integer code = task.exitCode();
        return code != null && code > 0 && code <= GREATEST_EXIT_CODE ? code : 1;
    }

    /** {@code failed: exit code 3}. */
    static String words(TaskDetail task) {
        String error = task.error();
        return Clean.line(
                error == null || error.isEmpty() ? task.status() : task.status() + ": " + error);
    }
}
