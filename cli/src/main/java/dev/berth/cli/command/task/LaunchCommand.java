package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.ExperimentRefused;
import dev.berth.wire.Reason;

import java.util.List;

/** Starts drafts immediately, bypassing the queue, if their GPUs are available. */
public final class LaunchCommand implements CliCommand {

    private static final CommandOption FORCE =
            CommandOption.flag(
                    "--force", "also use GPUs that others use, but not those of another task");

    private static final int CONFLICT_STATUS = 409;
    private static final String BUSY_CODE = "start.busy";

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "launch",
                "ID…",
                "Start drafts now, past the queue, if their GPUs are free",
                List.of(FORCE, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        String body = options.has(FORCE) ? "{\"force_start\":true}" : "{}";
        return TaskLoop.run(
                options,
                context,
                (id, connection) -> {
                    ApiReply reply =
                            connection.sendUnchecked(
                                    ApiRequest.post("/experiments/" + id + "/start/", body));
                    if (reply.isError()) {
                        throw new CommandFailure(refusal(id, reply, connection));
                    }
                    String status =
                            WireReader.experimentDone(connection.json(reply)).experiment().status();
                    return new TaskLoop.TaskResult(reply, id + " " + SafeText.line(status), 0);
                });
    }

    private static String refusal(long id, ApiReply reply, ServerConnection connection) {
        String message = ServerConnection.errorMessage(reply);
        if (reply.status() != CONFLICT_STATUS) {
            return message;
        }
        StringBuilder text = new StringBuilder(message);
        ExperimentRefused refused = WireReader.experimentRefused(connection.json(reply));
        reasons(refused.reasons(), message, text);
        if (refused.problem().code().equals(BUSY_CODE)) {
            text.append("\n  to wait for its turn: berth queue ").append(id);
        }
        return text.toString();
    }

    /** One line for each reason that the text does not contain yet. */
    private static void reasons(List<Reason> reasons, String message, StringBuilder text) {
        for (Reason reason : reasons) {
            String detail = SafeText.line(reason.detail());
            if (!message.contains(detail)) {
                text.append("\n  ").append(detail);
            }
            reasons(reason.parts(), message, text);
        }
    }
}
