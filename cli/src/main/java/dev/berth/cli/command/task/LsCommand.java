package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.TaskSummary;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Lists tasks: by default those that run or wait and the last that ended. */
public final class LsCommand implements CliCommand {

    private static final CommandOption ALL =
            CommandOption.flag("--all", "every task").withShortName("-a");
    private static final CommandOption STATUS =
            CommandOption.withValue(
                    "--status", "S", "pending, queued, running, completed, failed or cancelled");
    private static final CommandOption NUMBER =
            CommandOption.withValue("-n", "N", "only the newest N");

    /** More than a screen shows. A queue may contain a hundred thousand tasks. */
    private static final int MAX_PER_STATUS = 200;

    private static final int MAX_FINISHED = 10;

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "ls",
                "",
                "List running and waiting tasks, and the last 10 that ended",
                List.of(ALL, STATUS, NUMBER, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        int limit = limit(options.value(NUMBER));
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            TaskList list = new TaskList(connection);
            if (!options.has(NUMBER) && (options.has(ALL) || options.has(STATUS))) {
                printAll(list, options, context);
                printDamaged(list, context);
                return 0;
            }
            List<TaskList.ListedTask> rows = rows(list, options, limit);
            if (options.has(CommandOption.JSON)) {
                List<@Nullable Object> json = new ArrayList<>();
                for (TaskList.ListedTask row : rows) {
                    json.add(row.json());
                }
                context.out().println(JsonWriter.write(json));
            } else if (rows.isEmpty()) {
                context.out().println(emptyMessage(options.value(STATUS)));
            } else {
                print(rows, context);
                leftOut(list, context);
            }
            printDamaged(list, context);
            return 0;
        }
    }

    /** Prints while reading: the list may be longer than the memory. */
    private static void printAll(TaskList list, ParsedOptions options, CallContext context) {
        String status = options.value(STATUS);
        String wanted = status == null ? "" : status;
        if (options.has(CommandOption.JSON)) {
            AtomicReference<String> separator = new AtomicReference<>("[");
            list.readAll(
                    wanted,
                    false,
                    (page, _) -> {
                        for (TaskList.ListedTask row : page) {
                            context.out().print(separator.getAndSet(","));
                            context.out().print(JsonWriter.write(row.json()));
                        }
                        return !context.out().checkError();
                    });
            context.out().println(separator.get().equals("[") ? "[]" : "]");
            return;
        }
        LongTaskTable table = new LongTaskTable(list, wanted, context);
        list.readAll(wanted, true, table::print);
        if (table.isEmpty()) {
            context.out().println(emptyMessage(status));
        }
    }

    private static int limit(@Nullable String number) {
        int limit = number == null ? Integer.MAX_VALUE : AmountParser.count(number).orElse(0);
        if (limit == 0) {
            throw new UsageError("-n needs a number, 1 or more");
        }
        return limit;
    }

    private static List<TaskList.ListedTask> rows(TaskList list, ParsedOptions options, int limit) {
        String status = options.value(STATUS);
        if (options.has(NUMBER)) {
            return list.newest(status == null ? "" : status, limit);
        }
        return list.overview(MAX_PER_STATUS, MAX_FINISHED);
    }

    /** The newest last, next to the shell prompt. */
    private static void print(List<TaskList.ListedTask> rows, CallContext context) {
        List<TaskSummary> tasks = TaskList.tasks(rows.reversed());
        long now = context.clock().now().getEpochSecond();
        context.out()
                .print(
                        new TaskTable(tasks, context, now)
                                .table()
                                .render(context.width(), context.usesColours()));
    }

    private static void leftOut(TaskList list, CallContext context) {
        context.out().flush();
        list.omitted()
                .forEach(
                        (status, count) ->
                                context.printMessage(
                                        count
                                                + " more "
                                                + status
                                                + ": `berth ls --status "
                                                + status
                                                + "` shows all"));
    }

    private static void printDamaged(TaskList list, CallContext context) {
        if (list.damaged().isEmpty()) {
            return;
        }
        context.out().flush();
        StringBuilder ids = new StringBuilder();
        for (int id : list.damaged()) {
            ids.append(ids.isEmpty() ? "" : ", ").append(id);
        }
        context.printMessage(
                "not listed, because damaged on the disk: task "
                        + ids
                        + " (`berth doctor --deep` shows all damage)");
    }

    private static String emptyMessage(@Nullable String status) {
        return status == null
                ? "No tasks yet. Submit one: berth submit --gpus 1 -- python train.py"
                : "No " + SafeText.line(status) + " tasks. All there are: berth ls --all";
    }
}
