package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.Confirmation;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.TaskSummary;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Cancels all tasks of one user that match a filter. */
final class CancelMatching {

    static final CommandOption STATUS =
            CommandOption.withValue(
                    "--status", "S", "pending, queued, running, or active for all of them");
    static final CommandOption NAME =
            CommandOption.withValue("--name", "GLOB", "only those with such a name: 'sweep-*'");
    static final CommandOption OWNER =
            CommandOption.withValue("--owner", "USER", "those of this user, not your own");
    static final CommandOption DRY_RUN =
            CommandOption.flag("--dry-run", "only show how many there are");
    static final CommandOption YES =
            CommandOption.flag("--yes", "cancel without asking").withShortName("-y");

    private static final List<CommandOption> FILTERS = List.of(STATUS, NAME, OWNER);

    /** Tasks that wait come first, so that none of them starts when one that runs is ended. */
    private static final List<String> ACTIVE = List.of("pending", "queued", "running");

    private static final int CONFLICT = 409;

    private final ParsedOptions options;
    private final CallContext context;
    private final ServerConnection connection;

    CancelMatching(ParsedOptions options, CallContext context, ServerConnection connection) {
        this.options = options;
        this.context = context;
        this.connection = connection;
    }

    /** True if the options describe tasks instead of naming them. */
    static boolean isChosen(ParsedOptions options) {
        if (FILTERS.stream().noneMatch(options::has)) {
            for (CommandOption option : List.of(DRY_RUN, YES)) {
                if (options.has(option)) {
                    throw new UsageError(option.name() + " needs a filter: --status queued");
                }
            }
            return false;
        }
        if (!options.arguments().isEmpty()) {
            throw new UsageError("give ids or a filter, not both");
        }
        return true;
    }

    /**
     * @return the tasks that the server accepted to cancel
     */
    List<Long> run() throws IOException {
        List<Long> ids = matching();
        if (options.has(DRY_RUN) || ids.isEmpty()) {
            print(ids.size(), ids.size() == 1 ? " matches" : " match", "matching");
            return List.of();
        }
        if (!options.has(YES)) {
            confirm(ids.size());
        }
        List<Long> cancelled = cancel(ids);
        print(cancelled.size(), " cancelled", "cancelled");
        return cancelled;
    }

    /** Within a status the newest first: those that would start last. */
    private List<Long> matching() {
        String namedOwner = options.value(OWNER);
        String owner = namedOwner == null ? ownName() : namedOwner;
        String wildcards = options.value(NAME);
        Pattern name = glob(wildcards == null ? "*" : wildcards);
        List<Long> ids = new ArrayList<>();
        for (String status : statuses()) {
            new TaskList(connection)
                    .readAll(
                            status,
                            false,
                            (page, _) -> {
                                for (TaskSummary task : TaskList.tasks(page)) {
                                    if (task.header().owner().equals(owner)
                                            && name.matcher(task.name()).matches()) {
                                        ids.add(task.id());
                                    }
                                }
                                return true;
                            });
        }
        return ids;
    }

    private String ownName() {
        return WireReader.me(connection.json(connection.get("/api/me"))).name();
    }

    private List<String> statuses() {
        String status = options.value(STATUS);
        if (status == null || status.equals("active")) {
            return ACTIVE;
        }
        if (!ACTIVE.contains(status)) {
            throw new UsageError(
                    "--status takes pending, queued, running or active, not '"
                            + SafeText.line(status)
                            + "'");
        }
        return List.of(status);
    }

    private static Pattern glob(String text) {
        StringBuilder pattern = new StringBuilder();
        text.codePoints()
                .forEach(
                        point -> {
                            String character = Character.toString(point);
                            pattern.append(
                                    switch (character) {
                                        case "*" -> ".*";
                                        case "?" -> ".";
                                        default -> Pattern.quote(character);
                                    });
                        });
        return Pattern.compile(pattern.toString(), Pattern.DOTALL);
    }

    private void confirm(int count) throws IOException {
        if (!context.isTerminal()) {
            throw new CommandFailure("nothing was cancelled: --yes cancels " + tasks(count));
        }
        if (!Confirmation.ask("Cancel " + tasks(count) + "?", context)) {
            throw new CommandFailure("nothing was cancelled");
        }
    }

    /** A task that ended meanwhile needs no cancel. */
    private List<Long> cancel(List<Long> ids) {
        boolean showsProgress = context.isTerminal() && !options.has(CommandOption.JSON);
        List<Long> cancelled = new ArrayList<>();
        for (long id : ids) {
            ApiReply reply =
                    connection.sendUnchecked(ApiRequest.post("/api/tasks/" + id + "/cancel", ""));
            if (!reply.isError()) {
                cancelled.add(id);
            } else if (reply.status() != CONFLICT) {
                throw new CommandFailure(
                        "after "
                                + tasks(cancelled.size())
                                + ": "
                                + ServerConnection.errorMessage(reply));
            }
            if (showsProgress && cancelled.size() % 100 == 0) {
                context.err().print("\r" + cancelled.size() + " of " + ids.size());
                context.err().flush();
            }
        }
        if (showsProgress) {
            context.err().print("\r\u001b[K");
        }
        return cancelled;
    }

    private void print(int count, String what, String field) {
        context.out()
                .println(
                        options.has(CommandOption.JSON)
                                ? "{\"" + field + "\":" + count + "}"
                                : tasks(count) + what);
    }

    private static String tasks(int count) {
        return count + (count == 1 ? " task" : " tasks");
    }
}
