package dev.berth.cli.command.log;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.command.task.LogChoice;
import dev.berth.cli.command.task.TaskCompletion;
import dev.berth.cli.command.task.TaskLogPrinter;
import dev.berth.cli.json.WireReader;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskLog;

import java.time.Duration;

/** Prints the server's replies with the lines of a log, one JSON object per line. */
final class JsonLogPrinter {

    private static final int DEFAULT_TAIL = 100;

    private final LogChoice choice;
    private final ServerConnection connection;
    private final CallContext context;
    private int attempt;
    private long offset;

    JsonLogPrinter(LogChoice choice, ServerConnection connection, CallContext context) {
        this.choice = choice;
        this.connection = connection;
        this.context = context;
        this.attempt = choice.attempt();
    }

    void print(boolean isFollowing) throws InterruptedException {
        int tail = choice.tail() == 0 ? DEFAULT_TAIL : choice.tail();
        if (isFollowing && attempt == 0) {
            // Offsets count in one attempt, so the attempt is known before the first offset.
            attempt = latestAttempt(task());
        }
        ApiReply reply = connection.get(target("tail=" + tail));
        context.out().println(reply.body().strip());
        context.out().flush();
        if (isFollowing) {
            offset = WireReader.taskLog(connection.json(reply)).nextOffset();
            follow();
        }
    }

    private void follow() throws InterruptedException {
        Duration pause = TaskLogPrinter.MIN_PAUSE;
        while (!context.out().checkError()) { // The reader of a pipe may have closed it.
            // Reads the status before the log, so that everything written before the end is read.
            TaskDetail task = task();
            boolean ended = TaskCompletion.isFinal(task.header().status());
            int latest = latestAttempt(task);
            attempt = attempt == 0 ? Math.min(latest, 1) : attempt;
            boolean moved = printNew();
            if (!moved && latest > attempt) {
                if (choice.attempt() > 0) {
                    return;
                }
                attempt++;
                offset = 0;
                context.printMessage("task " + choice.task() + " attempt " + attempt);
                continue;
            }
            if (ended && !moved) {
                return;
            }
            if (!ended) {
                pause = moved ? TaskLogPrinter.MIN_PAUSE : pause.multipliedBy(2);
                pause =
                        pause.compareTo(TaskLogPrinter.MAX_PAUSE) > 0
                                ? TaskLogPrinter.MAX_PAUSE
                                : pause;
                context.clock().sleep(pause);
            }
        }
    }

    /** Returns true if there was something new. */
    private boolean printNew() throws InterruptedException {
        ApiReply reply = send(target("from=" + offset));
        TaskLog piece = WireReader.taskLog(connection.json(reply));
        boolean moved = piece.nextOffset() != offset;
        offset = piece.nextOffset();
        if (!piece.lines().isEmpty()) {
            context.out().println(reply.body().strip());
        }
        return moved;
    }

    private TaskDetail task() throws InterruptedException {
        return WireReader.taskDetail(connection.json(send("/api/tasks/" + choice.task())));
    }

    /** 0 before the first one. */
    private static int latestAttempt(TaskDetail task) {
        return task.attempts().isEmpty() ? 0 : task.attempts().getLast().number();
    }

    private ApiReply send(String target) throws InterruptedException {
        return connection.sendWithRetries(TaskCompletion.MAX_OUTAGE, ApiRequest.get(target));
    }

    private String target(String start) {
        return "/api/tasks/"
                + choice.task()
                + "/logs?"
                + start
                + (choice.withBanner() ? "" : "&banner=false")
                + (attempt > 0 ? "&attempt=" + attempt : "");
    }
}
