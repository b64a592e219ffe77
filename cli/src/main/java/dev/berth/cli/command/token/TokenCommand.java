package dev.berth.cli.command.token;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.text.SafeText;

import java.util.List;

/** Manages tokens for programs that use the HTTP API. */
public final class TokenCommand implements CliCommand {

    static final CommandOption EXPIRES =
            CommandOption.withValue("--expires", "DAYS", "with create: valid for this many days");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "token",
                "create NAME | ls | revoke ID",
                "Create, list and revoke tokens for programs that use the HTTP API",
                List.of(EXPIRES, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        String verb = arguments.isEmpty() ? "" : arguments.getFirst();
        int count = verb.equals("ls") ? 1 : 2;
        if (!List.of("create", "ls", "revoke").contains(verb)) {
            throw new UsageError(
                    verb.isEmpty()
                            ? "give an action: create NAME, ls or revoke ID"
                            : "no '"
                                    + SafeText.line(verb)
                                    + "' here: create NAME, ls or revoke ID");
        }
        if (arguments.size() != count) {
            throw new UsageError("token " + verb + " takes " + (count - 1) + " argument(s)");
        }
        if (options.has(EXPIRES) && !verb.equals("create")) {
            throw new UsageError("--expires is for create only");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            switch (verb) {
                case "create" ->
                        TokenCreation.run(arguments.getLast(), options, connection, context);
                case "revoke" ->
                        TokenRevocation.run(arguments.getLast(), options, connection, context);
                default -> TokenListing.run(options, connection, context);
            }
            return 0;
        }
    }
}
