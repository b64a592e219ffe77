package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.json.WireReader;
import dev.berth.jsontext.JsonWriter;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Submits tasks again, with the given changes. */
public final class CloneCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        List<CommandOption> options = new ArrayList<>(TaskOptions.FOR_CLONE);
        options.add(CommandOption.JSON);
        return new CommandSyntax(
                "clone", "ID…", "Submit tasks again and print the new ids", options);
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        ParsedOptions nothing = ParsedOptions.parse(syntax(), List.of());
        Map<String, @Nullable Object> changes =
                new TaskOptions(options, nothing, context).changes();
        String body = changes.isEmpty() ? "" : JsonWriter.write(changes);
        return TaskLoop.run(
                options,
                context,
                (id, connection) -> {
                    ApiRequest request =
                            ApiRequest.post("/api/tasks/" + id + "/clone", body)
                                    .withHeader(IdempotencyKey.HEADER, IdempotencyKey.random());
                    ApiReply reply = connection.sendWithRetries(IdempotencyKey.MAX_OUTAGE, request);
                    long newId = WireReader.taskDetail(connection.json(reply)).id();
                    return new TaskLoop.TaskResult(reply, Long.toString(newId), 0);
                });
    }
}
