package dev.berth.cli.manual;

import dev.berth.cli.call.CliVersion;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;

import java.util.List;
import java.util.Locale;

/** Manual pages in the language of {@code man}. */
final class ManualPage {

    private ManualPage() {}

    static String ofProgram(List<CommandSyntax> commands) {
        var text = start("berth", "GPU scheduler for a lab");
        section("SYNOPSIS", text).append(".B berth\n[\\-\\-home DIR | \\-\\-system] COMMAND ...\n");
        section("DESCRIPTION", text)
                .append(
                        """
                        Submit a command: it waits in a queue, gets its GPUs, runs, and leaves its log and exit code.
                        An accepted task is neither lost nor run twice, whatever crashes.
                        .PP
                        .B berth demo
                        shows a server with simulated GPUs.
                        .B berth start
                        starts your own server,
                        .B berth submit
                        gives it a task.
                        """);
        section("COMMANDS", text);
        for (var command : commands) {
            text.append(".TP\n\\fB").append(escaped(command.name())).append("\\fR\n");
            text.append(line(command.summary())).append(".\n");
        }
        section("FILES", text)
                .append(".TP\n.I ~/.berth\nThe home of your own server.\n")
                .append(".TP\n.I /etc/berth\nThe configuration of the server of the machine.\n");
        section("ENVIRONMENT", text)
                .append(".TP\n.B BERTH_HOME\nAnother home.\n")
                .append(".TP\n.B BERTH_SOCKET\nThe Unix socket of the server to ask.\n")
                .append(".TP\n.B BERTH_JAVA_OPTS\nOptions for the JVM of the server.\n");
        section("EXIT STATUS", text)
                .append("0 if it is done, 1 if it was refused or failed, 2 for wrong usage.\n");
        return text.toString();
    }

    static String ofCommand(CommandSyntax command) {
        var text = start("berth-" + command.name(), command.summary());
        section("SYNOPSIS", text).append(line(command.usage())).append('\n');
        section("DESCRIPTION", text).append(line(command.summary())).append(".\n");
        section("OPTIONS", text);
        for (var option : command.allOptions()) {
            describe(option, text);
        }
        section("SEE ALSO", text).append(".BR berth (1)\n");
        return text.toString();
    }

    private static StringBuilder start(String name, String summary) {
        return new StringBuilder(".TH ")
                .append(escaped(name.toUpperCase(Locale.ROOT)))
                .append(" 1 \"\" \"berth ")
                .append(CliVersion.CURRENT)
                .append("\" \"Berth\"\n.SH NAME\n")
                .append(escaped(name))
                .append(" \\- ")
                .append(escaped(summary))
                .append('\n');
    }

    private static StringBuilder section(String title, StringBuilder text) {
        return text.append(".SH ").append(title).append('\n');
    }

    private static void describe(CommandOption option, StringBuilder text) {
        text.append(".TP\n");
        if (!option.shortName().isEmpty()) {
            text.append("\\fB").append(escaped(option.shortName())).append("\\fR, ");
        }
        text.append("\\fB").append(escaped(option.name())).append("\\fR");
        if (option.takesValue()) {
            text.append(" \\fI").append(escaped(option.valueName())).append("\\fR");
        }
        text.append('\n').append(line(option.help())).append('\n');
    }

    /** Text at the start of a line: there, a dot or a quote begins a request. */
    private static String line(String text) {
        return (text.startsWith(".") || text.startsWith("'") ? "\\&" : "") + escaped(text);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }
}
