package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.InterruptMessage;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.PrettyJson;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskPreview;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Submits a task and prints its id. */
public final class SubmitCommand implements CliCommand {

    private static final CommandOption WAIT =
            CommandOption.flag(
                    "--wait", "wait for its end and exit with its exit code; prints its result");
    private static final CommandOption FOLLOW =
            CommandOption.flag("--follow", "the same, and print its log meanwhile")
                    .withShortName("-f");

    private static final CommandOption DRY_RUN =
            CommandOption.flag("--dry-run", "only show when and where it would start");

    @Override
    public CommandSyntax syntax() {
        List<CommandOption> options = new ArrayList<>(TaskOptions.FOR_SUBMIT);
        options.addAll(ModelParams.OPTIONS);
        options.add(WAIT);
        options.add(FOLLOW);
        options.add(DRY_RUN);
        options.add(CommandOption.JSON);
        return new CommandSyntax(
                "submit",
                "-- COMMAND… | SCRIPT | - | --model NAME",
                "Submit a command, a script with #BERTH or #SBATCH lines, or a model task; prints"
                        + " the id",
                options);
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        boolean isModelTask = isModelTask(options);
        TaskFields task = isModelTask ? modelTask(options, context) : scriptTask(options, context);
        if (options.has(DRY_RUN)) {
            return preview(task.fields(), options, context);
        }
        if (BatchLines.isArray(String.valueOf(task.fields().get("command")))) {
            return submitArray(task, options, context);
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            connection.printChoice();
            ApiRequest request =
                    ApiRequest.post("/api/tasks", task.json(connection, context))
                            .withHeader(IdempotencyKey.HEADER, IdempotencyKey.random());
            ApiReply reply = connection.sendWithRetries(IdempotencyKey.MAX_OUTAGE, request);
            long id = WireReader.taskDetail(connection.json(reply)).id();
            boolean json = options.has(CommandOption.JSON);
            boolean printsResult = isModelTask && options.has(WAIT);
            if ((options.has(FOLLOW) || printsResult) && !json) {
                context.printMessage("task " + id);
            } else if (!json) {
                context.out().println(id);
                context.out().flush();
            }
            int status = 0;
            if (waits(options)) {
                reply = awaitEnd(id, options.has(FOLLOW) && !json, connection, context);
                TaskDetail ended = WireReader.taskDetail(connection.json(reply));
                status = TaskCompletion.exitStatus(ended);
                if (status != 0) {
                    context.printMessage("task " + id + " " + TaskCompletion.describe(ended));
                } else if (isModelTask && !json) {
                    context.out().println(PrettyJson.write(ended.call().result()));
                }
            }
            if (json) {
                context.out().println(reply.body().strip());
            }
            return status;
        }
    }

    /** Submits a script with {@code #SBATCH --array}: prints the id of each of its tasks. */
    private static int submitArray(TaskFields task, ParsedOptions options, CallContext context)
            throws InterruptedException {
        if (options.has(FOLLOW)) {
            throw new UsageError("--follow shows one log, and --array makes several; use --wait");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            connection.printChoice();
            ApiRequest request =
                    ApiRequest.post("/api/tasks/batch", "[" + task.json(connection, context) + "]")
                            .withHeader(IdempotencyKey.HEADER, IdempotencyKey.random());
            ApiReply reply = connection.sendWithRetries(IdempotencyKey.MAX_OUTAGE, request);
            List<Long> ids = WireReader.tasksCreated(connection.json(reply)).ids();
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
            } else {
                ids.forEach(id -> context.out().println(id));
            }
            context.out().flush();
            return options.has(WAIT) ? awaitAll(ids, connection, context) : 0;
        }
    }

    /** The exit status of the first task that did not succeed. */
    private static int awaitAll(List<Long> ids, ServerConnection connection, CallContext context)
            throws InterruptedException {
        int status = 0;
        try (InterruptMessage _ =
                InterruptMessage.install(context, () -> TaskCompletion.interruption(ids))) {
            for (long id : ids) {
                ApiReply reply = TaskCompletion.await(id, connection, context.clock());
                TaskDetail ended = WireReader.taskDetail(connection.json(reply));
                int own = TaskCompletion.exitStatus(ended);
                if (own != 0) {
                    context.printMessage("task " + id + " " + TaskCompletion.describe(ended));
                }
                status = status == 0 ? own : status;
            }
        }
        return status;
    }

    /**
     * The request of a new task.
     *
     * @param isShellExported it gets the caller's environment, umask and limits
     */
    private record TaskFields(Map<String, @Nullable Object> fields, boolean isShellExported) {

        /** The server of one user runs all tasks in its own environment. */
        String json(ServerConnection connection, CallContext context) {
            if (isShellExported && connection.isOfManyUsers()) {
                fields.put("shell", CallerShell.field(context));
            }
            return JsonWriter.write(fields);
        }
    }

    /** Nothing is submitted. */
    private static int preview(
            Map<String, @Nullable Object> task, ParsedOptions options, CallContext context) {
        if (waits(options)) {
            throw new UsageError("--dry-run submits nothing that could be waited for");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply =
                    connection.send(ApiRequest.post("/api/tasks/preview", JsonWriter.write(task)));
            TaskPreview preview = WireReader.taskPreview(connection.json(reply));
            context.out()
                    .println(
                            options.has(CommandOption.JSON)
                                    ? reply.body().strip()
                                    : new PreviewText(preview, context).text());
            context.out().flush();
            return 0;
        }
    }

    private static boolean waits(ParsedOptions options) {
        return options.has(WAIT) || options.has(FOLLOW);
    }

    /** Without a command, a worker of the model runs the task. */
    private static boolean isModelTask(ParsedOptions options) {
        return options.has(TaskOptions.MODEL)
                && !options.hasDashes()
                && options.argumentsBeforeDashes().isEmpty();
    }

    private static TaskFields modelTask(ParsedOptions options, CallContext context) {
        ParsedOptions nothing = ParsedOptions.parse(new SubmitCommand().syntax(), List.of());
        TaskOptions taskOptions = new TaskOptions(options, nothing, context);
        checkDraft(taskOptions, options);
        // A worker has an environment of its own.
        return new TaskFields(
                taskOptions.modelTaskFields(ModelParams.read(options, context)), false);
    }

    private static TaskFields scriptTask(ParsedOptions options, CallContext context) {
        CommandOption param = ModelParams.given(options);
        if (param != null) {
            throw new UsageError(
                    param.name()
                            + " is for a task that a worker of its model runs: give --model NAME"
                            + " and leave out the command, or put the values into the command");
        }
        TaskScript script = script(options, context);
        TaskOptions taskOptions = new TaskOptions(options, script.options(), context);
        checkDraft(taskOptions, options);
        return new TaskFields(taskOptions.fields(script), taskOptions.isShellExported());
    }

    private static void checkDraft(TaskOptions taskOptions, ParsedOptions options) {
        if (taskOptions.isDraft() && waits(options)) {
            throw new UsageError(
                    (options.has(WAIT) ? "--wait" : "--follow")
                            + " would not return: a draft starts only when you queue or launch it");
        }
    }

    private static ApiReply awaitEnd(
            long id, boolean isFollowing, ServerConnection connection, CallContext context)
            throws InterruptedException {
        try (InterruptMessage _ =
                InterruptMessage.install(context, () -> TaskCompletion.interruption(List.of(id)))) {
            if (isFollowing) {
                LogChoice everything = new LogChoice(id, 0, 0, false, false);
                new TaskLogPrinter(everything, connection, context).follow();
            }
            return TaskCompletion.await(id, connection, context.clock());
        }
    }

    private static TaskScript script(ParsedOptions options, CallContext context) {
        List<String> files = options.argumentsBeforeDashes();
        if (options.hasDashes()) {
            if (!files.isEmpty()) {
                throw new UsageError(
                        "either a script or a command after --, not both: '"
                                + files.getFirst()
                                + "'");
            }
            return TaskScript.ofCommand(options.argumentsAfterDashes());
        }
        if (files.size() != 1) {
            throw new UsageError(
                    files.isEmpty()
                            ? "give a command after --, or --model NAME to let a worker of that"
                                    + " model run the task"
                            : "put -- before a command of several words");
        }
        return TaskScript.ofFile(files.getFirst(), context);
    }
}
