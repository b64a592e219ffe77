package dev.berth.cli.command.log;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.command.task.LogChoice;
import dev.berth.cli.command.task.TaskIds;
import dev.berth.cli.command.task.TaskLogPrinter;
import dev.berth.cli.text.AmountParser;

import java.io.IOException;
import java.util.List;

/** Prints the logs of tasks, or the log of the server. */
public final class LogsCommand implements CliCommand {

    private static final CommandOption FOLLOW =
            CommandOption.flag("--follow", "follow the log until the task ends")
                    .withShortName("-f");
    private static final CommandOption TAIL =
            CommandOption.withValue(
                            "--tail",
                            "N",
                            "only the last N lines (on a terminal 100, otherwise all)")
                    .withShortName("-n");
    private static final CommandOption ATTEMPT =
            CommandOption.withValue("--attempt", "N", "the log of this attempt (the latest)");
    private static final CommandOption BANNER =
            CommandOption.flag(
                    "--banner", "also what Berth writes before and after the task's output");
    private static final CommandOption SERVER =
            CommandOption.flag("--server", "the server's own log; works without a running server");
    private static final CommandOption KIND =
            CommandOption.withValue(
                    "--kind",
                    "K",
                    "with --server: only these events, like attempt.granted or task.");
    static final CommandOption RAW =
            CommandOption.flag("--raw", "print the log unchanged, with control sequences");

    private static final int TERMINAL_TAIL = 100;

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "logs",
                "ID… | --server",
                "Print the logs of tasks or of the server",
                List.of(FOLLOW, TAIL, ATTEMPT, BANNER, SERVER, KIND, RAW, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        if (options.has(SERVER)) {
            options.expectNoArguments();
            ServerLog log = new ServerLog(options.values(KIND), options, context);
            int tail = number(TAIL, options);
            log.print(tail == 0 ? TERMINAL_TAIL : tail);
            if (options.has(FOLLOW)) {
                log.follow();
            }
            return 0;
        }
        if (options.has(KIND)) {
            throw new UsageError("--kind is for --server only");
        }
        List<Long> ids = TaskIds.parse(options.arguments());
        if (ids.size() > 1 && options.has(FOLLOW)) {
            throw new UsageError("--follow needs one task id");
        }
        int status = 0;
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            for (int index = 0; index < ids.size(); index++) {
                if (ids.size() > 1 && !options.has(CommandOption.JSON)) {
                    context.out()
                            .println(
                                    (index == 0 ? "" : "\n")
                                            + "==> task "
                                            + ids.get(index)
                                            + " <==");
                }
                try {
                    print(ids.get(index), connection, options, context);
                } catch (CommandFailure refused) {
                    if (ids.size() == 1) {
                        throw refused;
                    }
                    context.out().flush();
                    context.printMessage(refused.getMessage());
                    status = 1;
                }
            }
        }
        return status;
    }

    private static void print(
            long id, ServerConnection connection, ParsedOptions options, CallContext context)
            throws InterruptedException {
        int tail = number(TAIL, options);
        LogChoice choice =
                new LogChoice(
                        id,
                        number(ATTEMPT, options),
                        tail == 0 && context.isTerminal() ? TERMINAL_TAIL : tail,
                        options.has(BANNER),
                        options.has(RAW));
        if (options.has(CommandOption.JSON)) {
            new JsonLogPrinter(choice, connection, context).print(options.has(FOLLOW));
            return;
        }
        TaskLogPrinter printer = new TaskLogPrinter(choice, connection, context);
        if (options.has(FOLLOW)) {
            printer.follow();
        } else if (printer.print() && context.isTerminal() && !options.has(TAIL)) {
            context.printMessage("earlier lines are not shown: use --tail N, or a pipe for all");
        }
    }

    /** The value of an option that counts from 1, or 0 if it is not given. */
    private static int number(CommandOption option, ParsedOptions options) {
        String typed = options.value(option);
        int number = typed == null ? 0 : AmountParser.count(typed).orElse(0);
        if (typed != null && number == 0) {
            throw new UsageError(option.name() + " needs a number, 1 or more");
        }
        return number;
    }
}
