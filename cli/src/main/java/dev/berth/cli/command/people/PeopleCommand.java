package dev.berth.cli.command.people;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.DecimalText;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.jsontext.JsonParser;
import dev.berth.wire.PersonInfo;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Prints the users with their shares, use and limits. */
public final class PeopleCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "people",
                "",
                "Show users with their shares, use of the last 24 hours and limits",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get("/api/people");
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            List<PersonInfo> people = WireReader.personInfoList(connection.json(reply));
            if (people.isEmpty()) {
                context.out().println("Nobody has submitted a task yet.");
            } else {
                context.out().print(table(people).render(context.width(), context.usesColours()));
            }
            return 0;
        }
    }

    private static TextTable table(List<PersonInfo> people) {
        TextTable table = new TextTable();
        table.add("USER", ColumnKind.LEFT, cells(people, PeopleCommand::name));
        table.add(
                "GROUPS",
                ColumnKind.SHRINKABLE,
                cells(people, one -> String.join(",", one.groups())));
        table.add(
                "WEIGHT",
                ColumnKind.RIGHT,
                cells(people, one -> DecimalText.oneDecimal(one.weight())));
        table.add("SHARE", ColumnKind.RIGHT, cells(people, one -> percent(one.share())));
        table.add("USED", ColumnKind.RIGHT, cells(people, one -> percent(one.usedShare())));
        table.add(
                "GPU-HOURS",
                ColumnKind.RIGHT,
                cells(people, one -> DecimalText.oneDecimal(one.usedGpuHours())));
        table.add(
                "RUNNING", ColumnKind.RIGHT, cells(people, one -> Integer.toString(one.running())));
        table.add(
                "GPUS",
                ColumnKind.RIGHT,
                cells(people, one -> Integer.toString(one.runningGpus())));
        table.add("QUEUED", ColumnKind.RIGHT, cells(people, one -> Integer.toString(one.queued())));
        table.add("LIMITS", ColumnKind.SHRINKABLE, cells(people, PeopleCommand::limits));
        return table;
    }

    private static List<Cell> cells(List<PersonInfo> people, Function<PersonInfo, String> text) {
        List<Cell> cells = new ArrayList<>();
        for (PersonInfo person : people) {
            cells.add(Cell.of(text.apply(person)));
        }
        return cells;
    }

    private static String name(PersonInfo person) {
        return person.user() + (person.vip() ? " (vip)" : "");
    }

    private static String percent(@Nullable Double part) {
        return part == null ? "" : Math.round(part * 100) + " %";
    }

    private static String limits(PersonInfo person) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, PersonInfo.PersonLimit> limit : person.limits().entrySet()) {
            text.append(text.isEmpty() ? "" : " ")
                    .append(limit.getKey())
                    .append('=')
                    .append(number(limit.getValue().value()));
        }
        if (person.overBudget()) {
            text.append(" (over budget)");
        }
        return text.toString();
    }

    private static String number(Object value) {
        String text =
                value instanceof JsonParser.JsonNumber(String number) ? number : value.toString();
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}
