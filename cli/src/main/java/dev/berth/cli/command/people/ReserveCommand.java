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
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.AmountParser;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.ReservationInfo;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Keeps GPUs for a user, a group or nobody. */
public final class ReserveCommand implements CliCommand {

    private static final CommandOption GROUP =
            CommandOption.withValue(
                    "--group", "NAME", "only the members of this group start there");
    private static final CommandOption USER =
            CommandOption.withValue("--user", "NAME", "only this user's tasks start there");
    private static final CommandOption GPUS =
            CommandOption.withValue("--gpus", "N", "the number of GPUs; Berth selects them");
    private static final CommandOption DEVICES =
            CommandOption.withValue("--devices", "LIST", "these GPUs instead, as 0,1");
    private static final CommandOption FROM =
            CommandOption.withValue(
                    "--from", "TIME", "the begin: 14:00, 2026-01-31T08:00 or +2h; now if unset");
    private static final CommandOption LENGTH =
            CommandOption.withValue("--for", "TIME", "the length, as 4h or 1d");
    private static final CommandOption WEEKLY =
            CommandOption.flag("--weekly", "again each week, at the same local time");
    private static final CommandOption NOTE =
            CommandOption.withValue("--note", "TEXT", "what it is for");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "reserve",
                "",
                "Keep GPUs for a group or a user; for nobody nothing starts there (admins)",
                List.of(
                        GROUP,
                        USER,
                        GPUS,
                        DEVICES,
                        FROM,
                        LENGTH,
                        WEEKLY,
                        NOTE,
                        CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        String body = JsonWriter.write(request(options, context));
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.send(ApiRequest.post("/api/reservations", body));
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
            } else {
                ReservationInfo made = WireReader.reservationInfo(connection.json(reply));
                context.out().println("reservation " + made.id());
            }
            return 0;
        }
    }

    private static Map<String, Object> request(ParsedOptions options, CallContext context) {
        Map<String, Object> request = new LinkedHashMap<>();
        put(request, "group", options.value(GROUP));
        put(request, "user", options.value(USER));
        request.put("gpus", gpus(options.value(GPUS), options.value(DEVICES)));
        request.put("from", ReservationTime.parse(options.value(FROM), context.clock()));
        String length = options.value(LENGTH);
        int seconds = length == null ? 0 : AmountParser.seconds(length).orElse(0);
        if (seconds < 1) {
            throw new UsageError("--for needs a length like 4h or 1d");
        }
        request.put("seconds", seconds);
        request.put("weekly", options.has(WEEKLY));
        put(request, "note", options.value(NOTE));
        return request;
    }

    private static void put(Map<String, Object> request, String name, @Nullable String value) {
        if (value != null) {
            request.put(name, value);
        }
    }

    private static Object gpus(@Nullable String count, @Nullable String devices) {
        if ((count == null) == (devices == null)) {
            throw new UsageError("give either --gpus N or --devices LIST");
        }
        if (devices != null) {
            return devices;
        }
        int number = AmountParser.count(Objects.requireNonNull(count)).orElse(0);
        if (number < 1) {
            throw new UsageError("--gpus needs a number from 1");
        }
        return number;
    }
}
