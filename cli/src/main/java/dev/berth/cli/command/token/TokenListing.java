package dev.berth.cli.command.token;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.TokenInfo;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Lists the tokens and browser sessions. */
final class TokenListing {

    private TokenListing() {}

    static void run(ParsedOptions options, ServerConnection connection, CallContext context) {
        ApiReply reply = connection.send(ApiRequest.get("/api/tokens"));
        if (options.has(CommandOption.JSON)) {
            context.out().println(reply.body().strip());
            return;
        }
        List<TokenInfo> tokens = WireReader.tokenInfoList(connection.json(reply));
        if (tokens.isEmpty()) {
            context.out().println("No tokens yet. Create one: berth token create NAME");
            return;
        }
        long now = context.clock().now().getEpochSecond();
        TextTable table = new TextTable();
        table.add(
                "ID",
                TextTable.ColumnKind.RIGHT,
                column(tokens, token -> Long.toString(token.id())));
        table.add("KIND", TextTable.ColumnKind.LEFT, column(tokens, TokenInfo::kind));
        table.add("NAME", TextTable.ColumnKind.NAME, column(tokens, TokenInfo::name));
        table.add("OWNER", TextTable.ColumnKind.LEFT, column(tokens, TokenInfo::owner));
        table.add(
                "AGE",
                TextTable.ColumnKind.RIGHT,
                column(tokens, token -> age(token.createdAt(), now)));
        table.add(
                "USED",
                TextTable.ColumnKind.RIGHT,
                column(tokens, token -> age(token.lastUsedAt(), now)));
        table.add("STATE", TextTable.ColumnKind.LEFT, column(tokens, token -> state(token, now)));
        context.out().print(table.render(context.width(), context.usesColours()));
    }

    private static List<Cell> column(List<TokenInfo> tokens, Function<TokenInfo, String> text) {
        List<Cell> cells = new ArrayList<>();
        for (TokenInfo token : tokens) {
            cells.add(Cell.of(text.apply(token)));
        }
        return cells;
    }

    private static String age(@Nullable String time, long now) {
        var at = TimestampText.parseEpochSecond(time);
        return at.isPresent() ? DurationText.brief(now - at.getAsLong()) : "";
    }

    private static String state(TokenInfo token, long now) {
        if (token.revokedAt() != null) {
            return "revoked";
        }
        var expiry = TimestampText.parseEpochSecond(token.expiresAt());
        if (expiry.isEmpty()) {
            return "good";
        }
        long remaining = expiry.getAsLong() - now;
        return remaining <= 0 ? "expired" : "good for " + DurationText.brief(remaining);
    }
}
