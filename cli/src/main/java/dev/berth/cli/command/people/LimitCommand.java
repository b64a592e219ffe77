package dev.berth.cli.command.people;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonWriter;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Changes limits of a user, of a group or of everybody. */
public final class LimitCommand implements CliCommand {

    private static final List<String> KEYS =
            List.of(
                    "max_gpus",
                    "max_running",
                    "max_queued",
                    "max_hours",
                    "max_priority",
                    "gpu_hours_per_day");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "limit",
                "USER|@GROUP|default KEY=VALUE...",
                "Limit what a user, a group's members or all users may use (admins)",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        if (arguments.size() < 2) {
            throw new UsageError(
                    "give a user, @GROUP or default, and KEY=VALUE with one of the keys "
                            + String.join(", ", KEYS));
        }
        ShareHolder holder = ShareHolder.parse(arguments.getFirst());
        Map<String, @Nullable Object> changes = new LinkedHashMap<>();
        for (String change : arguments.subList(1, arguments.size())) {
            int end = change.indexOf('=');
            String key = end < 0 ? change : change.substring(0, end);
            if (end < 0 || !KEYS.contains(key)) {
                throw new UsageError(
                        "'"
                                + SafeText.line(change)
                                + "' is not KEY=VALUE with one of the keys "
                                + String.join(", ", KEYS));
            }
            changes.put(holder.limitKey(key), value(key, change.substring(end + 1)));
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply =
                    connection.send(ApiRequest.put("/api/rule", JsonWriter.write(changes)));
            context.out()
                    .println(options.has(CommandOption.JSON) ? reply.body().strip() : "changed");
            return 0;
        }
    }

    /** The server refuses what is not a value. */
    static @Nullable Object value(String key, String text) {
        if (text.isEmpty() || text.equals("none")) {
            return null;
        }
        if (key.equals("max_priority")) {
            return text.toLowerCase(Locale.ROOT);
        }
        return text.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?")
                ? new JsonParser.JsonNumber(text)
                : text;
    }
}
