package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.Confirmation;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.TasksRemoved;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;

/** Removes ended tasks with their logs: some by id, or all that match. */
public final class RmCommand implements CliCommand {

    private static final CommandOption STATUS =
            CommandOption.withValue(
                    "--status", "S", "completed, failed, cancelled, or ended for all");
    private static final CommandOption OLDER_THAN =
            CommandOption.withValue("--older-than", "30d", "only those that ended this long ago");
    private static final CommandOption NAME =
            CommandOption.withValue("--name", "GLOB", "only those with such a name: 'sweep-*'");
    private static final CommandOption OWNER =
            CommandOption.withValue("--owner", "USER", "only those of this user");
    private static final CommandOption DRY_RUN =
            CommandOption.flag("--dry-run", "only show how many there are");
    private static final CommandOption YES =
            CommandOption.flag("--yes", "remove without asking").withShortName("-y");
    private static final List<CommandOption> FILTERS = List.of(STATUS, OLDER_THAN, NAME, OWNER);

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "rm",
                "ID… | --status S …",
                "Remove ended tasks with their logs and files",
                List.of(STATUS, OLDER_THAN, NAME, OWNER, DRY_RUN, YES, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        boolean isFiltered = FILTERS.stream().anyMatch(options::has);
        if (!isFiltered && !options.has(DRY_RUN)) {
            return removeByIds(options, context);
        }
        if (!options.arguments().isEmpty()) {
            throw new UsageError("give ids or a filter, not both");
        }
        if (!isFiltered) {
            throw new UsageError("--dry-run needs a filter: --status ended");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            return removeMatching(options, context, connection);
        }
    }

    private static int removeByIds(ParsedOptions options, CallContext context)
            throws InterruptedException {
        return TaskLoop.run(
                options,
                context,
                (id, connection) ->
                        new TaskLoop.TaskResult(
                                connection.send(ApiRequest.delete("/api/tasks/" + id)),
                                id + " removed",
                                0));
    }

    private static int removeMatching(
            ParsedOptions options, CallContext context, ServerConnection connection)
            throws IOException {
        String target = "/api/tasks?" + query(options);
        long count = send(target + "&dry_run=true", connection).remaining();
        if (options.has(DRY_RUN) || count == 0) {
            print(0, count, options, context);
            return 0;
        }
        if (!options.has(YES)) {
            confirm(count, context);
        }
        print(removeAll(target, count, options, context, connection), 0, options, context);
        return 0;
    }

    private static void confirm(long count, CallContext context) throws IOException {
        if (!context.isTerminal()) {
            throw new CommandFailure("nothing was removed: --yes removes " + tasks(count));
        }
        if (!Confirmation.ask("Remove " + tasks(count) + ", logs included?", context)) {
            throw new CommandFailure("nothing was removed");
        }
    }

    /** Each request removes a part. Tasks that end meanwhile may match too. */
    private static long removeAll(
            String target,
            long count,
            ParsedOptions options,
            CallContext context,
            ServerConnection connection) {
        boolean showsProgress = context.isTerminal() && !options.has(CommandOption.JSON);
        long removed = 0;
        TasksRemoved part;
        do {
            part = send(target, connection);
            removed += part.removed();
            if (showsProgress && part.remaining() > 0) {
                context.err().print("\r" + removed + " of " + Math.max(count, removed));
                context.err().flush();
            }
        } while (part.removed() > 0 && part.remaining() > 0);
        if (showsProgress) {
            context.err().print("\r\u001b[K");
        }
        return removed;
    }

    private static TasksRemoved send(String target, ServerConnection connection) {
        return WireReader.tasksRemoved(connection.json(connection.send(ApiRequest.delete(target))));
    }

    private static void print(
            long removed, long remaining, ParsedOptions options, CallContext context) {
        if (options.has(CommandOption.JSON)) {
            context.out().println("{\"removed\":" + removed + ",\"remaining\":" + remaining + "}");
        } else if (remaining > 0 || removed == 0) {
            context.out().println(tasks(remaining) + (remaining == 1 ? " matches" : " match"));
        } else {
            context.out().println(tasks(removed) + " removed");
        }
    }

    private static String tasks(long count) {
        return count + (count == 1 ? " task" : " tasks");
    }

    private static String query(ParsedOptions options) {
        StringBuilder query = new StringBuilder("status=");
        String status = options.value(STATUS);
        query.append(encoded(status == null ? "ended" : status));
        String age = options.value(OLDER_THAN);
        if (age != null) {
            query.append("&older_than=").append(seconds(age));
        }
        append(query, "name", options.value(NAME));
        append(query, "owner", options.value(OWNER));
        return query.toString();
    }

    private static int seconds(String age) {
        OptionalInt seconds = AmountParser.seconds(age);
        if (seconds.isEmpty()) {
            throw new UsageError(
                    "--older-than takes 90s, 30m, 2h or 30d, not '" + SafeText.line(age) + "'");
        }
        return seconds.getAsInt();
    }

    private static void append(StringBuilder query, String name, @Nullable String value) {
        if (value != null) {
            query.append('&').append(name).append('=').append(encoded(value));
        }
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}
