package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Clean;

import java.util.List;

/** Whether the server is well. */
public final class Health implements Command {

    private static final String WELL = "ok";

    @Override
    public Syntax syntax() {
        return new Syntax(
                "health",
                "",
                "Say whether the server is well; exits 1 if not",
                List.of(Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        given.expectNoArguments();
        try (Link link = Link.open(given, around)) {
            // Not being well is an answer too.
            Reply reply = link.askAnyway(Request.get("/api/health"));
            dev.berth.wire.Health health = WireReader.health(link.json(reply));
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
            } else {
                around.out().println(Clean.line(health.status()));
                List<String> problems = health.problems();
                for (String problem : problems == null ? List.<String>of() : problems) {
                    around.out().println("  " + Clean.line(problem));
                }
            }
            return health.status().equals(WELL) ? 0 : 1;
        }
    }
}
