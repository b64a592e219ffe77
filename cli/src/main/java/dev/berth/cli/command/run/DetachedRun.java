package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.command.task.CallerShell;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TimestampText;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the same command again in the background and waits until its output reports that the run has
 * started.
 */
final class DetachedRun {

    /** Includes the start of a server. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
    private static final Pattern STARTED = Pattern.compile("(?m)^run (\\d+) started: .*$");

    private final ServerControl serverControl;
    private final ParsedOptions options;
    private final CallContext context;

    DetachedRun(ServerControl serverControl, ParsedOptions options, CallContext context) {
        this.serverControl = serverControl;
        this.options = options;
        this.context = context;
    }

    /** The line that {@link #run} searches in the output of the background process. */
    static String startedLine(RunState run) {
        int lanes = run.queues().size();
        return "run "
                + run.pid()
                + " started: "
                + SafeText.line(run.commandFile())
                + ", "
                + run.total()
                + (run.total() == 1 ? " task in " : " tasks in ")
                + lanes
                + (lanes == 1 ? " lane" : " lanes");
    }

    int run(@Nullable SubmittedFile file) throws IOException, InterruptedException {
        ServerControl.BackgroundProcess background =
                serverControl.launch(arguments(file), name(), options, context);
        String started = awaitStart(background);
        String output = SafeText.line(background.output().toString());
        if (options.has(CommandOption.JSON)) {
            Map<String, @Nullable Object> reply = new LinkedHashMap<>();
            reply.put("pid", Long.parseLong(started));
            reply.put("output", background.output().toString());
            context.out().println(JsonWriter.write(reply));
            return 0;
        }
        context.out().println("run " + started + " started in the background");
        context.out().println("  to follow it: tail -f " + output);
        context.out()
                .println(
                        "  to stop it:   "
                                + InterruptNotice.stopRunCommand(Long.parseLong(started), options));
        return 0;
    }

    private List<String> arguments(@Nullable SubmittedFile file) {
        List<String> arguments = new ArrayList<>();
        arguments.add("run");
        String home = options.value(CommandOption.HOME);
        if (home != null) {
            arguments.addAll(
                    List.of(CommandOption.HOME.name(), context.cwd().resolve(home).toString()));
        }
        if (options.has(CommandOption.SYSTEM)) {
            arguments.add(CommandOption.SYSTEM.name());
        }
        for (CommandOption option :
                List.of(RunCommand.MODE, RunCommand.PRIORITY, CallerShell.EXPORT)) {
            String value = options.value(option);
            if (value != null) {
                arguments.addAll(List.of(option.name(), value));
            }
        }
        if (options.has(RunCommand.KEEP_SERVER)) {
            arguments.add(RunCommand.KEEP_SERVER.name());
        }
        if (file != null) {
            arguments.addAll(List.of("--", file.path().toString()));
        }
        return arguments;
    }

    private String name() {
        Instant now = context.clock().now();
        String shown =
                TimestampText.format(
                        now.getEpochSecond(), context.clock().offsetAt(now.getEpochSecond()));
        return "run-" + shown.replace("-", "").replace(":", "").replace(' ', '-') + ".log";
    }

    private String awaitStart(ServerControl.BackgroundProcess background)
            throws IOException, InterruptedException {
        Instant end = context.clock().now().plus(TIMEOUT);
        while (context.clock().now().isBefore(end)) {
            // Checks the process before it reads the output, so that everything written before its
            // end is read.
            boolean isAlive = background.isAlive();
            String output = output(background.output());
            Matcher started = STARTED.matcher(output);
            if (started.find()) {
                return started.group(1);
            }
            if (!isAlive) {
                throw new CommandFailure("it did not start; its output:\n" + lines(output));
            }
            context.clock().sleep(POLL_INTERVAL);
        }
        throw new CommandFailure(
                "it has not started after "
                        + TIMEOUT.toSeconds()
                        + " s; see "
                        + SafeText.line(background.output().toString()));
    }

    private static String output(Path output) throws IOException {
        return Files.exists(output) ? Files.readString(output) : "";
    }

    private static String lines(String output) {
        List<String> clean = new ArrayList<>();
        for (String line : output.strip().split("\n")) {
            clean.add(SafeText.line(line));
        }
        return String.join("\n", clean);
    }
}
