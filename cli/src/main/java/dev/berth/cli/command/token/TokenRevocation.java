package dev.berth.cli.command.token;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.TokenInfo;

/** Revokes a token or ends a browser session. */
final class TokenRevocation {

    private TokenRevocation() {}

    static void run(
            String id, ParsedOptions options, ServerConnection connection, CallContext context) {
        if (!id.matches("[0-9]{1,18}")) {
            // The argument may be the token itself, which must not be printed.
            throw new UsageError("revoke takes the id that `berth token ls` shows");
        }
        ApiReply reply = connection.send(ApiRequest.delete("/api/tokens/" + id));
        if (options.has(CommandOption.JSON)) {
            context.out().println(reply.body().strip());
            return;
        }
        TokenInfo token = WireReader.tokenInfo(connection.json(reply));
        context.out().println(token.id() + " revoked (" + SafeText.line(token.name()) + ")");
    }
}
