package dev.berth.cli.command;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Moment;
import dev.berth.cli.text.Table;
import dev.berth.cli.text.Table.Cell;
import dev.berth.wire.TokenInfo;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The tokens and sessions there are. */
final class TokenLs {

    private TokenLs() {}

    static void run(Options given, Link link, Surroundings around) {
        Reply reply = link.ask(Request.get("/api/tokens"));
        if (given.has(Option.JSON)) {
            around.out().println(reply.body().strip());
            return;
        }
        List<TokenInfo> tokens = WireReader.tokens(link.json(reply));
        if (tokens.isEmpty()) {
            around.out().println("No tokens yet. Make one: berth token create NAME");
            return;
        }
        long now = around.time().now().getEpochSecond();
        Table table = new Table();
        table.add("ID", Table.Kind.RIGHT, column(tokens, token -> Long.toString(token.id())));
        table.add("KIND", Table.Kind.LEFT, column(tokens, TokenInfo::kind));
        table.add("NAME", Table.Kind.SHRINKS, column(tokens, TokenInfo::name));
        table.add("OWNER", Table.Kind.LEFT, column(tokens, TokenInfo::owner));
        table.add("AGE", Table.Kind.RIGHT, column(tokens, token -> ago(token.createdAt(), now)));
        table.add("USED", Table.Kind.RIGHT, column(tokens, token -> ago(token.lastUsedAt(), now)));
        table.add("STATE", Table.Kind.LEFT, column(tokens, token -> state(token, now)));
        around.out().print(table.render(around.width(), around.colours()));
    }

    private static List<Cell> column(List<TokenInfo> tokens, Function<TokenInfo, String> text) {
        List<Cell> cells = new ArrayList<>();
        for (TokenInfo token : tokens) {
            cells.add(Cell.of(text.apply(token)));
        }
        return cells;
    }

    private static String ago(@Nullable String time, long now) {
        var at = Moment.epochSecond(time);
        return at.isPresent() ? Age.brief(now - at.getAsLong()) : "";
    }

    private static String state(TokenInfo token, long now) {
        if (token.revokedAt() != null) {
            return "revoked";
        }
        var expiry = Moment.epochSecond(token.expiresAt());
        if (expiry.isEmpty()) {
            return "good";
        }
        long left = expiry.getAsLong() - now;
        return left <= 0 ? "expired" : "good for " + Age.brief(left);
    }
}
