package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Clean;

import java.util.List;

/** Prints a link that logs a browser in. It is a secret, so it is printed for eyes only. */
public final class Login implements Command {

    private static final Option PRINT =
            Option.flag("--print", "also where stdout is no terminal, as in a pipe");

    @Override
    public Syntax syntax() {
        return new Syntax(
                "login",
                "",
                "Print a link that logs a browser in, once and within ten minutes",
                List.of(PRINT, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        given.expectNoArguments();
        if (!around.terminal() && !given.has(PRINT) && !given.has(Option.JSON)) {
            throw new Refused(
                    "the link lets anyone in who reads it, and this is no terminal: say --print if"
                            + " you mean it");
        }
        try (Link link = Link.open(given, around)) {
            Reply reply = link.ask(Request.post("/api/login/links", ""));
            around.out()
                    .println(
                            given.has(Option.JSON)
                                    ? reply.body().strip()
                                    : Clean.line(WireReader.loginLink(link.json(reply)).url()));
            return 0;
        }
    }
}
