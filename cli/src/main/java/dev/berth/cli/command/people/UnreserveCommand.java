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
import dev.berth.cli.text.AmountParser;

import java.util.List;

/** Removes a reservation. */
public final class UnreserveCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "unreserve", "ID", "Remove a reservation (admins)", List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        int id = arguments.size() == 1 ? AmountParser.count(arguments.getFirst()).orElse(0) : 0;
        if (id < 1) {
            throw new UsageError("give the id of one reservation");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.send(ApiRequest.delete("/api/reservations/" + id));
            context.out()
                    .println(
                            options.has(CommandOption.JSON)
                                    ? reply.body().strip()
                                    : "removed reservation " + id);
            return 0;
        }
    }
}
