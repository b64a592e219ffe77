package dev.berth.cli.command.token;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.TokenCreated;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;

/** Creates a token and prints only the token on stdout, so that a script can capture it. */
final class TokenCreation {

    private TokenCreation() {}

    static void run(
            String name, ParsedOptions options, ServerConnection connection, CallContext context) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("name", name);
        String days = options.value(TokenCommand.EXPIRES);
        if (days != null) {
            int count = AmountParser.count(days).orElse(0);
            if (count == 0) {
                throw new UsageError("--expires needs a number of days, 1 or more");
            }
            body.put("expires_days", count);
        }
        ApiReply reply = connection.send(ApiRequest.post("/api/tokens", JsonWriter.write(body)));
        if (options.has(CommandOption.JSON)) {
            context.out().println(reply.body().strip());
            return;
        }
        TokenCreated created = WireReader.tokenCreated(connection.json(reply));
        context.out().println(SafeText.line(created.token()));
        context.out().flush();
        if (context.isTerminal()) {
            context.printMessage(
                    "token "
                            + created.id()
                            + " acts for "
                            + SafeText.line(created.owner())
                            + ". It is shown only once: keep it in a file that only you can read");
        }
    }
}
