package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ServerConnection;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs the same step for every given task. A failure for one task does not stop the others. */
final class TaskLoop {

    /** The operation on one task. */
    interface TaskStep {
        TaskResult run(long id, ServerConnection connection) throws InterruptedException;
    }

    /**
     * The result for one task.
     *
     * @param text printed unless JSON is requested
     */
    record TaskResult(ApiReply reply, String text, int status) {}

    private TaskLoop() {}

    /**
     * @return the first status that is not 0
     */
    static int run(ParsedOptions options, CallContext context, TaskStep step)
            throws InterruptedException {
        return run(TaskIds.parse(options.arguments()), options, context, step);
    }

    static int run(List<Long> ids, ParsedOptions options, CallContext context, TaskStep step)
            throws InterruptedException {
        boolean json = options.has(CommandOption.JSON);
        List<String> bodies = new ArrayList<>();
        int status = 0;
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            for (long id : ids) {
                int code;
                try {
                    TaskResult outcome = step.run(id, connection);
                    code = outcome.status();
                    if (json) {
                        bodies.add(outcome.reply().body().strip());
                    } else {
                        context.out().println(outcome.text());
                        context.out().flush();
                    }
                } catch (CommandFailure refused) {
                    code = 1;
                    context.printMessage(withTask(id, refused.getMessage()));
                }
                status = status == 0 ? code : status;
            }
        }
        if (json && !bodies.isEmpty()) {
            context.out().println(ids.size() == 1 ? bodies.getFirst() : array(bodies));
        } else if (json && ids.size() > 1) {
            context.out().println("[]");
        }
        return status;
    }

    private static String array(List<String> bodies) {
        return "[" + String.join(",", bodies) + "]";
    }

    private static String withTask(long id, String message) {
        boolean isNamed = message.toLowerCase(Locale.ROOT).contains("task " + id);
        return isNamed ? message : "task " + id + ": " + message;
    }
}
