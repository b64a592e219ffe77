package dev.berth.cli.command.people;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.ReservationInfo;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** Lists the reservations. */
public final class ReservationsCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "reservations", "", "List the reservations of GPUs", List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get("/api/reservations");
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            List<ReservationInfo> all = WireReader.reservationInfoList(connection.json(reply));
            if (all.isEmpty()) {
                context.out().println("No reservations.");
            } else {
                context.out()
                        .print(table(all, context).render(context.width(), context.usesColours()));
            }
            return 0;
        }
    }

    private static TextTable table(List<ReservationInfo> all, CallContext context) {
        TextTable table = new TextTable();
        table.add("ID", ColumnKind.RIGHT, cells(all, one -> Long.toString(one.id())));
        table.add("FOR", ColumnKind.LEFT, cells(all, ReservationsCommand::holder));
        table.add("GPUS", ColumnKind.LEFT, cells(all, ReservationsCommand::gpus));
        table.add("FROM", ColumnKind.LEFT, cells(all, one -> time(one.windowFrom(), context)));
        table.add("LENGTH", ColumnKind.RIGHT, cells(all, one -> DurationText.exact(one.seconds())));
        table.add("REPEATS", ColumnKind.LEFT, cells(all, one -> one.weekly() ? "weekly" : "once"));
        table.add("STATE", ColumnKind.LEFT, cells(all, one -> one.active() ? "now" : "later"));
        table.add("KEEPS", ColumnKind.LEFT, cells(all, one -> joined(one.keptGpus())));
        table.add("NOTE", ColumnKind.SHRINKABLE, cells(all, ReservationInfo::note));
        return table;
    }

    private static List<Cell> cells(
            List<ReservationInfo> all, Function<ReservationInfo, String> text) {
        List<Cell> cells = new ArrayList<>();
        for (ReservationInfo one : all) {
            cells.add(Cell.of(text.apply(one)));
        }
        return cells;
    }

    private static String holder(ReservationInfo one) {
        if (one.group() != null) {
            return "@" + one.group();
        }
        return one.user() == null ? "nobody" : one.user();
    }

    private static String gpus(ReservationInfo one) {
        List<Integer> devices = one.devices();
        return devices == null ? Integer.toString(one.gpuCount()) : "GPU " + joined(devices);
    }

    private static String joined(List<Integer> indices) {
        StringBuilder text = new StringBuilder();
        for (Integer index : indices) {
            text.append(text.isEmpty() ? "" : ",").append(index);
        }
        return text.toString();
    }

    private static String time(@Nullable String iso, CallContext context) {
        OptionalLong at = TimestampText.parseEpochSecond(iso);
        return at.isPresent()
                ? TimestampText.format(at.getAsLong(), context.clock().offsetAt(at.getAsLong()))
                : "";
    }
}
