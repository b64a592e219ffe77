package dev.berth.cli.call;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The name, arguments and options of a command.
 *
 * @param arguments as the usage line shows them
 * @param summary one line
 * @param options the command's own options; every command also accepts {@code --home}, {@code
 *     --system} and {@code --help}
 */
public record CommandSyntax(
        String name, String arguments, String summary, List<CommandOption> options) {

    /** The column at which the descriptions of options begin. */
    private static final int OPTION_WIDTH = 24;

    public String usage() {
        return "berth " + name + " [OPTIONS]" + (arguments.isEmpty() ? "" : " " + arguments);
    }

    public String help() {
        StringBuilder text =
                new StringBuilder("Usage: ").append(usage()).append('\n').append(summary);
        text.append(".\n\n");
        for (CommandOption option : allOptions()) {
            describe(option, text);
        }
        return text.toString();
    }

    /** The command's own options, then those of every command. */
    public List<CommandOption> allOptions() {
        List<CommandOption> all = new ArrayList<>(options);
        all.add(CommandOption.HOME);
        if (!options.contains(CommandOption.SYSTEM)) {
            all.add(CommandOption.SYSTEM);
        }
        all.add(CommandOption.HELP);
        return all;
    }

    @Nullable CommandOption find(String name) {
        for (CommandOption option : options) {
            if (isNamed(option, name)) {
                return option;
            }
        }
        for (CommandOption option :
                List.of(CommandOption.HOME, CommandOption.SYSTEM, CommandOption.HELP)) {
            if (isNamed(option, name)) {
                return option;
            }
        }
        return null;
    }

    private static boolean isNamed(CommandOption option, String name) {
        return option.name().equals(name)
                || (!option.shortName().isEmpty() && option.shortName().equals(name));
    }

    private static void describe(CommandOption option, StringBuilder text) {
        int start = text.length();
        text.append("  ");
        if (!option.shortName().isEmpty()) {
            text.append(option.shortName()).append(", ");
        }
        text.append(option.name());
        if (option.takesValue()) {
            text.append(' ').append(option.valueName());
        }
        text.repeat(' ', Math.max(2, OPTION_WIDTH - (text.length() - start)));
        text.append(option.help()).append('\n');
    }
}
