package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.InterruptMessage;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerAddress;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.command.task.CallerShell;
import dev.berth.cli.command.task.TaskScript;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.FileProblem;
import dev.berth.wire.Queue;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs a command file and waits for its end. Starts a server for it if none runs. */
public final class RunCommand implements CliCommand {

    private static final int BLOCKS_LEFT_OUT = 3;

    static final CommandOption MODE =
            CommandOption.withValue("--mode", "M", "single or multi: one GPU per task, or several");
    static final CommandOption PRIORITY =
            CommandOption.withValue(
                            "--priority",
                            "P",
                            "priority of its tasks: CRITICAL, HIGH, NORMAL or LOW")
                    .withShortName("-p");
    static final CommandOption DETACH =
            CommandOption.flag(
                    "--detach", "run in the background, also after this terminal closes");
    static final CommandOption KEEP_SERVER =
            CommandOption.flag("--keep-server", "keep the server running that was started for it");

    private final ServerControl serverControl;

    public RunCommand(ServerControl serverControl) {
        this.serverControl = serverControl;
    }

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "run",
                "[FILE]",
                "Run a command file and wait for its end; exits 0 if all tasks completed",
                List.of(
                        MODE,
                        PRIORITY,
                        CallerShell.EXPORT,
                        DETACH,
                        KEEP_SERVER,
                        CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        if (options.arguments().size() > 1) {
            throw new UsageError("give one command file");
        }
        String mode = options.value(MODE);
        if (mode != null && !mode.equals("single") && !mode.equals("multi")) {
            throw new UsageError(
                    "--mode must be single or multi, not '" + SafeText.line(mode) + "'");
        }
        SubmittedFile file =
                options.arguments().isEmpty()
                        ? null
                        : SubmittedFile.read(options.arguments().getFirst(), context);
        if (options.has(DETACH)) {
            return new DetachedRun(serverControl, options, context).run(file);
        }
        try (ServerConnection running = ServerConnection.openIfRunning(options, context)) {
            if (running != null) {
                return follow(
                        start(file, running, options, context), running, options, context, false);
            }
        }
        if (ServerAddresses.candidates(options, context).getFirst()
                instanceof ServerAddress.SocketFile) {
            // The user named a socket, so the home for a new server is not known.
            throw ServerConnection.noServerRunning(options, context);
        }
        return runHosted(file, options, context);
    }

    /** Starts a server for this run and stops it afterwards. */
    private int runHosted(@Nullable SubmittedFile file, ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        serverControl.start(options, context);
        RunState started = null;
        int status;
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            started = start(file, connection, options, context);
            status = follow(started, connection, options, context, true);
        } catch (InterruptedException interrupted) {
            if (started == null) {
                stopServerAfterFailure(null, options, context);
            } else {
                context.printMessage(InterruptNotice.text(started, options, true));
            }
            throw interrupted;
        } catch (IOException | RuntimeException failed) {
            stopServerAfterFailure(started, options, context);
            throw failed;
        }
        stopServer(null, options, context);
        return status;
    }

    private static RunState start(
            @Nullable SubmittedFile file,
            ServerConnection connection,
            ParsedOptions options,
            CallContext context) {
        connection.printChoice();
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        if (CallerShell.isExported(options.value(CallerShell.EXPORT))
                && connection.isOfManyUsers()) {
            body.put("shell", CallerShell.field(context));
        }
        ApiReply reply = connection.sendUnchecked(request(file, body, options, context));
        // An error reply of a proxy need not be JSON.
        Object json =
                reply.isError() && !reply.body().startsWith("{") ? null : connection.json(reply);
        RunState run = WireReader.runState(json);
        String shown = file == null ? SafeText.line(run.commandFile()) : file.displayName();
        for (FileProblem problem : run.problems()) {
            context.err()
                    .println(shown + ":" + problem.line() + ": " + SafeText.line(problem.detail()));
        }
        context.err().flush();
        if (reply.isError()) {
            throw new CommandFailure(ServerConnection.errorMessage(reply));
        }
        return run;
    }

    private static ApiRequest request(
            @Nullable SubmittedFile file,
            Map<String, @Nullable Object> body,
            ParsedOptions options,
            CallContext context) {
        String mode = options.value(MODE);
        String priority = options.value(PRIORITY);
        String query =
                priority == null
                        ? ""
                        : "priority="
                                + URLEncoder.encode(
                                        priority.toUpperCase(Locale.ROOT), StandardCharsets.UTF_8);
        if (file == null) {
            return ApiRequest.post(
                    "/api/scheduler/"
                            + (mode == null ? "single" : mode)
                            + "/start?config_index=0&origin=terminal"
                            + (query.isEmpty() ? "" : "&" + query),
                    body.isEmpty() ? "" : JsonWriter.write(body));
        }
        body.put("content", file.content());
        body.put("command_file", file.path().toString());
        body.put("work_dir", TaskScript.checkDecoded(context.cwd().toString()));
        return ApiRequest.post(
                "/api/scheduler/"
                        + (mode == null ? file.mode() : mode)
                        + "/start"
                        + (query.isEmpty() ? "" : "?" + query),
                JsonWriter.write(body));
    }

    private static int follow(
            RunState started,
            ServerConnection connection,
            ParsedOptions options,
            CallContext context,
            boolean isHosted)
            throws IOException, InterruptedException {
        boolean json = options.has(CommandOption.JSON);
        boolean isScreen =
                context.isTerminal() && !context.env().getOrDefault("TERM", "").equals("dumb");
        if (!json && !isScreen) {
            context.out().println(DetachedRun.startedLine(started));
            context.out().flush();
        }
        RunView view = _ -> {};
        if (!json) {
            view = isScreen ? new RunTerminalView(context) : new RunLogView(context);
        }
        Object ended;
        try (InterruptMessage _ =
                InterruptMessage.install(
                        context, () -> InterruptNotice.text(started, options, isHosted))) {
            ended = new RunPoller(connection, context).awaitEnd(started, view);
        }
        if (json) {
            context.out().println(JsonWriter.write(ended));
        }
        int status = RunOutcome.print(WireReader.runState(ended), json, context);
        return status == 0 ? incompleteStatus(started, context) : status;
    }

    /** A script that checks the exit code must not take a part of the file for all of it. */
    private static int incompleteStatus(RunState started, CallContext context) {
        List<FileProblem> problems = started.problems();
        if (problems.isEmpty()) {
            return 0;
        }
        context.printMessage(
                "not everything was run: "
                        + problems.size()
                        + (problems.size() == 1 ? " block was" : " blocks were")
                        + " left out, see above");
        return BLOCKS_LEFT_OUT;
    }

    /**
     * Stops the server after a failure. A second failure is only reported, because the first one
     * decides the outcome.
     */
    private void stopServerAfterFailure(
            @Nullable RunState started, ParsedOptions options, CallContext context)
            throws InterruptedException {
        try {
            stopServer(started, options, context);
        } catch (IOException | RuntimeException second) {
            context.printMessage(
                    "the server that was started for it may still run ("
                            + SafeText.line(String.valueOf(second.getMessage()))
                            + "); `"
                            + InterruptNotice.stopServerCommand(options)
                            + "` ends it");
        }
    }

    /**
     * Stops the server that was started for this run, unless other tasks use it.
     *
     * @param left the run if it may still have tasks; they do not count as other tasks
     */
    private void stopServer(
            @Nullable RunState unfinishedRun, ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        if (options.has(KEEP_SERVER)) {
            return;
        }
        Queue queue = queue(options, context);
        if (queue != null
                && queue.queued() + queue.running() > unfinished(unfinishedRun, options, context)) {
            context.printMessage(
                    "the server keeps running, because it has other tasks ("
                            + queue.queued()
                            + " queued, "
                            + queue.running()
                            + " running); `"
                            + InterruptNotice.stopServerCommand(options)
                            + "` ends it");
            return;
        }
        serverControl.stop(options, context);
        if (unfinishedRun != null) {
            context.printMessage(
                    "the server that was started for run "
                            + unfinishedRun.pid()
                            + " was stopped; the run continues when a server is started");
        }
    }

    /** Null if the server does not answer. */
    private static @Nullable Queue queue(ParsedOptions options, CallContext context) {
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            return WireReader.queue(connection.json(connection.get("/api/queue?limit=1")));
        } catch (CommandFailure unknown) {
            return null;
        }
    }

    private static int unfinished(
            @Nullable RunState unfinishedRun, ParsedOptions options, CallContext context) {
        if (unfinishedRun == null) {
            return 0;
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            RunState now =
                    WireReader.runState(
                            connection.json(
                                    connection.get("/api/scheduler/run/" + unfinishedRun.pid())));
            return now.pending() + now.running();
        } catch (CommandFailure unknown) {
            return unfinishedRun.total();
        }
    }
}
