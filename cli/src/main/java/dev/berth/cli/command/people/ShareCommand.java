package dev.berth.cli.command.people;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.jsontext.JsonWriter;

import java.util.Collections;
import java.util.List;

/** Changes the weight of a user or a group. */
public final class ShareCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "share",
                "USER|@GROUP WEIGHT",
                "Set the weight of a user or a group; `none` resets it (admins)",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        if (arguments.size() != 2) {
            throw new UsageError("give a user or @GROUP, and a weight");
        }
        String key = ShareHolder.parse(arguments.getFirst()).weightKey();
        String body =
                JsonWriter.write(
                        Collections.singletonMap(
                                key, LimitCommand.value(key, arguments.getLast())));
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.send(ApiRequest.put("/api/rule", body));
            context.out()
                    .println(options.has(CommandOption.JSON) ? reply.body().strip() : "changed");
            return 0;
        }
    }
}
