package dev.berth.cli.command.task;

import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.text.AmountParser;

/**
 * Reads the log of one task piece by piece. It begins with the latest attempt, unless one is named,
 * and knows when a later attempt has begun.
 */
final class TaskLogReader {

    /**
     * Large enough that the exchange costs little, small enough to be collected as young garbage.
     */
    static final int PIECE_BYTES = 256 * 1024;

    private final LogChoice choice;
    private final ServerConnection connection;
    private int attempt;
    private int attempts;
    private long offset;
    private boolean isStarted;
    private boolean isTruncated;

    TaskLogReader(LogChoice choice, ServerConnection connection) {
        this.choice = choice;
        this.connection = connection;
        this.attempt = choice.attempt();
    }

    /** The bytes that follow; empty at the present end. */
    byte[] next() throws InterruptedException {
        ApiReply reply =
                connection.sendWithRetries(TaskCompletion.MAX_OUTAGE, ApiRequest.get(target()));
        attempts = AmountParser.count(reply.header("x-log-attempts")).orElse(0);
        if (attempts > 0) {
            isTruncated |= !isStarted && reply.header("x-log-truncated").equals("true");
            isStarted = true;
            attempt = AmountParser.count(reply.header("x-log-attempt")).orElse(attempts);
            offset = Long.parseLong(reply.header("x-next-offset"));
        }
        return reply.content();
    }

    /** The piece is printed, and its array can be used for a later one. */
    void recycle(byte[] piece) {
        connection.recycle(piece);
    }

    private String target() {
        String start =
                choice.tail() > 0 && !isStarted ? "&tail=" + choice.tail() : "&from=" + offset;
        return "/api/tasks/"
                + choice.task()
                + "/logs/raw?limit="
                + PIECE_BYTES
                + start
                + (choice.withBanner() ? "" : "&banner=false")
                + (attempt > 0 ? "&attempt=" + attempt : "");
    }

    /** True if lines before the first piece were left out. */
    boolean isTruncated() {
        return isTruncated;
    }

    int attempt() {
        return attempt;
    }

    /** True if nothing more will come, because a later attempt exists. */
    boolean isSuperseded() {
        return attempt > 0 && attempts > attempt;
    }

    /** Continues with the next attempt. */
    void switchToNextAttempt() {
        attempt++;
        offset = 0;
    }
}
