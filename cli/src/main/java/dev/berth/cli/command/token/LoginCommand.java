package dev.berth.cli.command.token;

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

import java.util.List;

/**
 * Prints a link that logs a browser in. The link is a secret, so by default it is only printed to a
 * terminal.
 */
public final class LoginCommand implements CliCommand {

    private static final CommandOption PRINT =
            CommandOption.flag("--print", "also if stdout is not a terminal, as in a pipe");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "login",
                "",
                "Print a login link for a browser, valid once and for ten minutes",
                List.of(PRINT, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        if (!context.isTerminal() && !options.has(PRINT) && !options.has(CommandOption.JSON)) {
            throw new CommandFailure(
                    "this is not a terminal, and anyone who reads the link can log in with it:"
                            + " --print prints it here");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.send(ApiRequest.post("/api/login/links", ""));
            context.out()
                    .println(
                            options.has(CommandOption.JSON)
                                    ? reply.body().strip()
                                    : SafeText.line(
                                            WireReader.loginLink(connection.json(reply)).url()));
            return 0;
        }
    }
}
