package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.LogCleaner;

import java.time.Duration;

/** Prints the log of a task, to its present end or until the task has ended. */
public final class TaskLogPrinter {

    public static final Duration MIN_PAUSE = Duration.ofMillis(100);
    public static final Duration MAX_PAUSE = Duration.ofSeconds(1);

    private final LogChoice choice;
    private final ServerConnection connection;
    private final CallContext context;
    private final TaskLogReader reader;
    private final LogCleaner cleaner;

    public TaskLogPrinter(LogChoice choice, ServerConnection connection, CallContext context) {
        this.choice = choice;
        this.connection = connection;
        this.context = context;
        this.reader = new TaskLogReader(choice, connection);
        this.cleaner = new LogCleaner(context.out());
    }

    /**
     * Prints everything up to the present end.
     *
     * @return true if earlier lines were left out
     */
    public boolean print() throws InterruptedException {
        printNew();
        cleaner.finish();
        context.out().flush();
        return reader.isTruncated();
    }

    /** Prints until the task, or the chosen attempt, has ended. */
    public void follow() throws InterruptedException {
        Duration pause = MIN_PAUSE;
        while (!context.out().checkError()) { // The reader of a pipe may have closed it.
            // Reads the status before the log, so that everything written before the end is read.
            boolean ended = isEnded();
            boolean moved = printNew();
            if (reader.isSuperseded() && !moved) {
                cleaner.finish();
                if (choice.attempt() > 0) {
                    return;
                }
                reader.switchToNextAttempt();
                context.out().flush();
                context.printMessage("task " + choice.task() + " attempt " + reader.attempt());
                continue;
            }
            if (ended && !moved) {
                cleaner.finish();
                context.out().flush();
                return;
            }
            if (!ended) {
                pause = moved ? MIN_PAUSE : pause.multipliedBy(2);
                pause = pause.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : pause;
                context.clock().sleep(pause);
            }
        }
    }

    private boolean isEnded() throws InterruptedException {
        ApiReply state =
                connection.sendWithRetries(
                        TaskCompletion.MAX_OUTAGE, ApiRequest.get("/api/tasks/" + choice.task()));
        return TaskCompletion.isFinal(
                WireReader.taskDetail(connection.json(state)).header().status());
    }

    /** Returns true if there was something new. */
    private boolean printNew() throws InterruptedException {
        boolean moved = false;
        try (LogReadAhead pieces = new LogReadAhead(reader)) {
            for (byte[] piece = pieces.next(); piece.length > 0; piece = pieces.next()) {
                moved = true;
                if (choice.raw()) {
                    context.out().write(piece, 0, piece.length);
                } else {
                    cleaner.write(piece);
                }
                reader.recycle(piece);
                if (context.out().checkError()) { // Also flushes, so that a person sees it now.
                    break;
                }
            }
        }
        return moved;
    }
}
