package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.InterruptMessage;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.TaskDetail;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Cancels tasks. The command returns when the server has recorded the request; the processes end
 * later.
 */
public final class CancelCommand implements CliCommand {

    private static final CommandOption WAIT =
            CommandOption.flag("--wait", "wait until they have ended");

    /** Accepted, but the database cannot be written now. */
    private static final int ACCEPTED = 202;

    private static final String CANCELLED =
            "the tasks are cancelled; the server ends their processes";

    private static final String PENDING =
            " (its processes are being ended; the cancel is recorded when the database can be"
                    + " written again)";

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "cancel",
                "ID… | --status S …",
                "Cancel tasks: end those that run, remove those that wait from the queue",
                List.of(
                        CancelMatching.STATUS,
                        CancelMatching.NAME,
                        CancelMatching.OWNER,
                        CancelMatching.DRY_RUN,
                        CancelMatching.YES,
                        WAIT,
                        CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        if (CancelMatching.isChosen(options)) {
            return cancelMatching(options, context);
        }
        List<Long> ids = TaskIds.parse(options.arguments());
        try (CancelStep step = new CancelStep(ids, options.has(WAIT) ? context : null)) {
            return TaskLoop.run(ids, options, context, step);
        }
    }

    private static int cancelMatching(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            List<Long> ids = new CancelMatching(options, context, connection).run();
            if (options.has(WAIT) && !ids.isEmpty()) {
                try (InterruptMessage _ = InterruptMessage.install(context, () -> CANCELLED)) {
                    for (long id : ids) {
                        TaskCompletion.await(id, connection, context.clock());
                    }
                }
            }
            return 0;
        }
    }

    /**
     * Cancels all tasks before it reports or waits for the first one: while it waited, another of
     * them could start.
     */
    private static final class CancelStep implements TaskLoop.TaskStep, AutoCloseable {

        private final List<Long> ids;
        private final @Nullable CallContext waiting;
        private final Map<Long, ApiReply> replies = new HashMap<>();
        private final Map<Long, CommandFailure> refusals = new HashMap<>();
        private @Nullable InterruptMessage message;

        /**
         * @param waiting the context to wait for the end in, or null to return at once
         */
        CancelStep(List<Long> ids, @Nullable CallContext waiting) {
            this.ids = ids;
            this.waiting = waiting;
        }

        @Override
        public TaskLoop.TaskResult run(long id, ServerConnection connection)
                throws InterruptedException {
            if (replies.isEmpty() && refusals.isEmpty()) {
                cancelAll(connection);
                installMessage();
            }
            ApiReply reply = replies.get(id);
            if (reply == null) {
                throw refusals.get(id);
            }
            boolean isPending = reply.status() == ACCEPTED;
            if (waiting != null) {
                reply = TaskCompletion.await(id, connection, waiting.clock());
            }
            TaskDetail task = WireReader.taskDetail(connection.json(reply));
            String state =
                    TaskCompletion.isFinal(task.header().status())
                            ? task.header().status()
                            : task.header().phase();
            String line = id + " " + SafeText.line(state);
            return new TaskLoop.TaskResult(reply, isPending ? line + PENDING : line, 0);
        }

        private void cancelAll(ServerConnection connection) {
            for (long id : ids) {
                try {
                    replies.put(
                            id,
                            connection.send(ApiRequest.post("/api/tasks/" + id + "/cancel", "")));
                } catch (CommandFailure refused) {
                    refusals.put(id, refused);
                }
            }
        }

        /** From here on Ctrl-C ends only the waiting. */
        private void installMessage() {
            if (waiting != null && !replies.isEmpty()) {
                message = InterruptMessage.install(waiting, () -> CANCELLED);
            }
        }

        @Override
        public void close() {
            if (message != null) {
                message.close();
            }
        }
    }
}
