package dev.berth.cli.command.log;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.command.task.LogChoice;
import dev.berth.cli.command.task.TaskCompletion;
import dev.berth.cli.command.task.TaskLogPrinter;
import dev.berth.cli.json.WireReader;
import dev.berth.wire.TaskLog;

import java.time.Duration;

/** Prints the server's replies with the lines of a log, one JSON object per line. */
final class JsonLogPrinter {

    private static final int DEFAULT_TAIL = 100;

    private final LogChoice choice;
    private final ServerConnection connection;
    private final CallContext context;

    JsonLogPrinter(LogChoice choice, ServerConnection connection, CallContext context) {
        this.choice = choice;
        this.connection = connection;
        this.context = context;
    }

    void print(boolean isFollowing) throws InterruptedException {
        int tail = choice.tail() == 0 ? DEFAULT_TAIL : choice.tail();
        ApiReply reply = connection.get(target("tail=" + tail));
        context.out().println(reply.body().strip());
        context.out().flush();
        if (isFollowing) {
            follow(WireReader.taskLog(connection.json(reply)).nextOffset());
        }
    }

    private void follow(long start) throws InterruptedException {
        long offset = start;
        Duration pause = TaskLogPrinter.MIN_PAUSE;
        while (!context.out().checkError()) { // The reader of a pipe may have closed it.
            // Reads the status before the log, so that everything written before the end is read.
            ApiReply state = send("/api/tasks/" + choice.task());
            boolean ended =
                    TaskCompletion.isFinal(
                            WireReader.taskDetail(connection.json(state)).header().status());
            ApiReply reply = send(target("from=" + offset));
            TaskLog piece = WireReader.taskLog(connection.json(reply));
            boolean moved = piece.nextOffset() != offset;
            offset = piece.nextOffset();
            if (!piece.lines().isEmpty()) {
                context.out().println(reply.body().strip());
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

    private ApiReply send(String target) throws InterruptedException {
        return connection.sendWithRetries(TaskCompletion.MAX_OUTAGE, ApiRequest.get(target));
    }

    private String target(String start) {
        return "/api/tasks/"
                + choice.task()
                + "/logs?"
                + start
                + (choice.withBanner() ? "" : "&banner=false")
                + (choice.attempt() > 0 ? "&attempt=" + choice.attempt() : "");
    }
}
