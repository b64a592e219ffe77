package dev.berth.cli.call;

/**
 * One option of a command.
 *
 * @param name with its dashes
 * @param shortName the short form with its dash, or empty
 * @param valueName the name of the value in the help text, or empty if the option takes none
 */
public record CommandOption(String name, String shortName, String valueName, String help) {

    public static final CommandOption HOME = withValue("--home", "DIR", "the server's home");
    public static final CommandOption SYSTEM =
            flag("--system", "the server of this machine, not your own");
    public static final CommandOption HELP = flag("--help", "show this").withShortName("-h");
    public static final CommandOption JSON = flag("--json", "print the server's JSON");

    public static CommandOption flag(String name, String help) {
        return new CommandOption(name, "", "", help);
    }

    public static CommandOption withValue(String name, String value, String help) {
        return new CommandOption(name, "", value, help);
    }

    /** Returns the same option with a short form. */
    public CommandOption withShortName(String shortForm) {
        return new CommandOption(name, shortForm, valueName, help);
    }

    public boolean takesValue() {
        return !valueName.isEmpty();
    }
}
