package dev.berth.cli.call;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What a command is called and takes.
 *
 * @param arguments how they are written in the usage line
 * @param summary one line
 * @param options its own; {@code --home} and {@code --help} are understood everywhere
 */
public record Syntax(String name, String arguments, String summary, List<Option> options) {

    /** Room for an option before its explanation begins. */
    private static final int OPTION_WIDTH = 24;

    public String usage() {
        return "berth " + name + " [OPTIONS]" + (arguments.isEmpty() ? "" : " " + arguments);
    }

    public String help() {
        StringBuilder text =
                new StringBuilder("Usage: ").append(usage()).append('\n').append(summary);
        text.append(".\n\n");
        for (Option option : options) {
            describe(option, text);
        }
        describe(Option.HOME, text);
        describe(Option.HELP, text);
        return text.toString();
    }

    @Nullable Option named(String word) {
        for (Option option : options) {
            if (isNamed(option, word)) {
                return option;
            }
        }
        if (isNamed(Option.HOME, word)) {
            return Option.HOME;
        }
        return isNamed(Option.HELP, word) ? Option.HELP : null;
    }

    private static boolean isNamed(Option option, String word) {
        return option.name().equals(word)
                || (!option.letter().isEmpty() && option.letter().equals(word));
    }

    private static void describe(Option option, StringBuilder text) {
        int start = text.length();
        text.append("  ");
        if (!option.letter().isEmpty()) {
            text.append(option.letter()).append(", ");
        }
        text.append(option.name());
        if (option.takesValue()) {
            text.append(' ').append(option.value());
        }
        text.repeat(' ', Math.max(2, OPTION_WIDTH - (text.length() - start)));
        text.append(option.help()).append('\n');
    }
}
