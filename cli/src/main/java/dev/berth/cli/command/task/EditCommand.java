package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.jsontext.JsonWriter;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Changes tasks that have not started. Fields that are not given stay as they are. */
public final class EditCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        List<CommandOption> options = new ArrayList<>(TaskOptions.FOR_EDIT);
        options.addAll(ModelParams.OPTIONS);
        options.add(CommandOption.JSON);
        return new CommandSyntax(
                "edit",
                "ID… [-- COMMAND…]",
                "Change tasks that have not started; `none` resets a value",
                options);
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        List<Long> ids = TaskIds.parse(options.argumentsBeforeDashes());
        ParsedOptions nothing = ParsedOptions.parse(syntax(), List.of());
        Map<String, @Nullable Object> changes =
                new TaskOptions(options, nothing, context).changes();
        if (options.hasDashes()) {
            changes.put("command", TaskScript.ofCommand(options.argumentsAfterDashes()).text());
        }
        if (ModelParams.given(options) != null) {
            changes.put("params", ModelParams.read(options, context));
        }
        if (changes.isEmpty()) {
            throw new UsageError("give at least one option of `berth submit` to change");
        }
        String body = JsonWriter.write(changes);
        return TaskLoop.run(
                ids,
                options,
                context,
                (id, connection) -> {
                    ApiReply reply = connection.send(ApiRequest.patch("/api/tasks/" + id, body));
                    return new TaskLoop.TaskResult(reply, id + " changed", 0);
                });
    }
}
