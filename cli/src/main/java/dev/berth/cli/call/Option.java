package dev.berth.cli.call;

/**
 * One option of a command.
 *
 * @param name with its dashes
 * @param letter the short form with its dash, or empty
 * @param value what its value is called in the help, or empty if it takes none
 */
public record Option(String name, String letter, String value, String help) {

    public static final Option HOME = valued("--home", "DIR", "the server's home");
    public static final Option HELP = flag("--help", "show this").or("-h");
    public static final Option JSON = flag("--json", "print the server's JSON");

    public static Option flag(String name, String help) {
        return new Option(name, "", "", help);
    }

    public static Option valued(String name, String value, String help) {
        return new Option(name, "", value, help);
    }

    /** The same, with a short form too. */
    public Option or(String shortForm) {
        return new Option(name, shortForm, value, help);
    }

    boolean takesValue() {
        return !value.isEmpty();
    }
}
