package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.ShellWords;
import dev.berth.wire.RunState;

import java.util.List;

/** Tells the user on SIGINT that ending this command does not end the run. */
final class InterruptNotice implements AutoCloseable {

    private final Thread hook;

    private InterruptNotice(Thread hook) {
        this.hook = hook;
    }

    /**
     * @param isHosted true if the server was started for this run
     */
    static InterruptNotice install(
            RunState run, ParsedOptions options, CallContext context, boolean isHosted) {
        Thread hook = new Thread(() -> print(run, options, context, isHosted), "interrupt-notice");
        // The JVM runs hooks on SIGINT, SIGTERM and SIGHUP, and exits when they return.
        Runtime.getRuntime().addShutdownHook(hook);
        return new InterruptNotice(hook);
    }

    static void print(RunState run, ParsedOptions options, CallContext context, boolean isHosted) {
        context.printMessage(
                "run "
                        + run.pid()
                        + " continues in its server"
                        + (isHosted ? ", which keeps running" : "")
                        + "; `berth runs"
                        + homeOption(options)
                        + "` shows it, `"
                        + stopRunCommand(run.pid(), options)
                        + "` ends it"
                        + (isHosted ? ", `" + stopServerCommand(options) + "` the server" : ""));
    }

    /** The command that stops the run, for the same home. */
    static String stopRunCommand(long pid, ParsedOptions options) {
        return "berth runs stop " + pid + homeOption(options);
    }

    /** The command that stops the server, for the same home. */
    static String stopServerCommand(ParsedOptions options) {
        return "berth stop" + homeOption(options);
    }

    private static String homeOption(ParsedOptions options) {
        String home = options.value(CommandOption.HOME);
        return home == null ? "" : " --home " + SafeText.line(ShellWords.join(List.of(home)));
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The JVM is shutting down: the hook is already running.
        }
    }
}
