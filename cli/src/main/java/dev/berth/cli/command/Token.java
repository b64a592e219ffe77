package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Link;
import dev.berth.cli.text.Clean;

import java.util.List;

/** Tokens, for programs that come by HTTP. */
public final class Token implements Command {

    static final Option EXPIRES =
            Option.valued("--expires", "DAYS", "with create: for so many days only");

    @Override
    public Syntax syntax() {
        return new Syntax(
                "token",
                "create NAME | ls | revoke ID",
                "Make, list and revoke tokens for programs that come by HTTP",
                List.of(EXPIRES, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        List<String> words = given.arguments();
        String verb = words.isEmpty() ? "" : words.getFirst();
        int wanted = verb.equals("ls") ? 1 : 2;
        if (!List.of("create", "ls", "revoke").contains(verb)) {
            throw new UsageError(
                    verb.isEmpty()
                            ? "say what to do: create NAME, ls or revoke ID"
                            : "no '" + Clean.line(verb) + "' here: create NAME, ls or revoke ID");
        }
        if (words.size() != wanted) {
            throw new UsageError("token " + verb + " takes " + (wanted - 1) + " word(s)");
        }
        if (given.has(EXPIRES) && !verb.equals("create")) {
            throw new UsageError("--expires goes with create");
        }
        try (Link link = Link.open(given, around)) {
            switch (verb) {
                case "create" -> TokenCreate.run(words.getLast(), given, link, around);
                case "revoke" -> TokenRevoke.run(words.getLast(), given, link, around);
                default -> TokenLs.run(given, link, around);
            }
            return 0;
        }
    }
}
