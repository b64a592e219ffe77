package dev.berth.cli.command;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Clean;
import dev.berth.wire.TokenInfo;

/** Takes a token back, or ends the session of a browser. */
final class TokenRevoke {

    private TokenRevoke() {}

    static void run(String id, Options given, Link link, Surroundings around) {
        if (!id.matches("[0-9]{1,18}")) {
            // Perhaps the token itself, which must not be said back.
            throw new UsageError("revoke takes the id that `berth token ls` shows");
        }
        Reply reply = link.ask(Request.delete("/api/tokens/" + id));
        if (given.has(Option.JSON)) {
            around.out().println(reply.body().strip());
            return;
        }
        TokenInfo token = WireReader.token(link.json(reply));
        around.out().println(token.id() + " revoked (" + Clean.line(token.name()) + ")");
    }
}
