package dev.berth.cli.command;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Amount;
import dev.berth.cli.text.Clean;
import dev.berth.wire.TokenCreated;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;

/** Makes a token and prints it, alone on stdout, so that a script can catch it. */
final class TokenCreate {

    private TokenCreate() {}

    static void run(String name, Options given, Link link, Surroundings around) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("name", name);
        String days = given.value(Token.EXPIRES);
        if (days != null) {
            int count = Amount.count(days).orElse(0);
            if (count == 0) {
                throw new UsageError("--expires takes a number of days from 1 up");
            }
            body.put("expires_days", count);
        }
        Reply reply = link.ask(Request.post("/api/tokens", JsonText.of(body)));
        if (given.has(Option.JSON)) {
            around.out().println(reply.body().strip());
            return;
        }
        TokenCreated made = WireReader.tokenCreated(link.json(reply));
        around.out().println(Clean.line(made.token()));
        around.out().flush();
        if (around.terminal()) {
            around.note(
                    "token "
                            + made.id()
                            + " acts for "
                            + Clean.line(made.owner())
                            + ". It is shown this once: keep it in a file that only you can read");
        }
    }
}
