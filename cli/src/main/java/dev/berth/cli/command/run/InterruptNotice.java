package dev.berth.cli.command.run;

import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.ShellWords;
import dev.berth.wire.RunState;

import java.util.List;

/** What the user reads when the command is interrupted: the run continues. */
final class InterruptNotice {

    private InterruptNotice() {}

    /**
     * @param isHosted true if the server was started for this run
     */
    static String text(RunState run, ParsedOptions options, boolean isHosted) {
        return "run "
                + run.pid()
                + " continues in its server"
                + (isHosted ? ", which keeps running" : "")
                + "; `berth runs"
                + homeOption(options)
                + "` shows it, `"
                + stopRunCommand(run.pid(), options)
                + "` ends it"
                + (isHosted ? ", `" + stopServerCommand(options) + "` the server" : "");
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
        if (options.has(CommandOption.SYSTEM)) {
            return " " + CommandOption.SYSTEM.name();
        }
        return home == null ? "" : " --home " + SafeText.line(ShellWords.join(List.of(home)));
    }
}
