package dev.berth.cli.command.learned;

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
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.wire.LearnedRuns;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Shows what Berth has learned from ended runs, and forgets it. */
public final class LearnedCommand implements CliCommand {

    private static final String PATH = "/api/learned";

    private static final CommandOption FORGET =
            CommandOption.withValue("--forget", "ID", "forget the runs of this kind of task");
    private static final CommandOption FORGET_ALL =
            CommandOption.flag("--forget-all", "forget all of your runs");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "learned",
                "",
                "Show what earlier runs tell about run times and memory, or forget it",
                List.of(FORGET, FORGET_ALL, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        if (options.has(FORGET) && options.has(FORGET_ALL)) {
            throw new UsageError("give --forget ID or --forget-all, not both");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = reply(connection, options);
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            List<LearnedRuns> learned = WireReader.learnedRunsList(connection.json(reply));
            if (learned.isEmpty()) {
                context.out().println("Nothing is learned yet: no task has ended.");
            } else {
                context.out().print(table(learned, context));
            }
            return 0;
        }
    }

    private static ApiReply reply(ServerConnection connection, ParsedOptions options) {
        if (options.has(FORGET_ALL)) {
            return connection.send(ApiRequest.delete(PATH));
        }
        String id = options.value(FORGET);
        return id == null
                ? connection.get(PATH)
                : connection.send(
                        ApiRequest.delete(
                                PATH + "/" + URLEncoder.encode(id, StandardCharsets.UTF_8)));
    }

    private static String table(List<LearnedRuns> learned, CallContext context) {
        TextTable table = new TextTable();
        table.add("ID", ColumnKind.LEFT, cells(learned, LearnedRuns::fingerprint));
        table.add("NAME", ColumnKind.NAME, cells(learned, LearnedRuns::name));
        table.add("OWNER", ColumnKind.LEFT, cells(learned, LearnedRuns::owner));
        table.add("GPUS", ColumnKind.RIGHT, cells(learned, LearnedRuns::gpus));
        table.add("RUNS", ColumnKind.RIGHT, cells(learned, one -> Integer.toString(one.runs())));
        table.add("TAKES", ColumnKind.RIGHT, cells(learned, LearnedCommand::range));
        table.add("PEAK", ColumnKind.RIGHT, cells(learned, LearnedCommand::peak));
        table.add("COMMAND", ColumnKind.SHRINKABLE, cells(learned, LearnedCommand::command));
        table.mayOmit(List.of("COMMAND", "OWNER"));
        var layout = table.layout(context.width());
        boolean colours = context.usesColours();
        return layout.header(colours) + table.rows(layout, colours);
    }

    /** From the median to what nine of ten runs stay below. */
    private static String range(LearnedRuns one) {
        Double median = one.medianSeconds();
        Double high = one.p90Seconds();
        return median == null || high == null
                ? ""
                : DurationText.brief(Math.round(median))
                        + "-"
                        + DurationText.brief(Math.round(high));
    }

    private static String peak(LearnedRuns one) {
        return one.peakMemoryMb() == null ? "" : one.peakMemoryMb() + " MB";
    }

    private static String command(LearnedRuns one) {
        String command = one.command();
        return command == null ? "" : command.lines().findFirst().orElse("");
    }

    private static List<Cell> cells(List<LearnedRuns> learned, Function<LearnedRuns, String> text) {
        List<Cell> cells = new ArrayList<>();
        for (LearnedRuns one : learned) {
            cells.add(Cell.of(text.apply(one)));
        }
        return cells;
    }
}
