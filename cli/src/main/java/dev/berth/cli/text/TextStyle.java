package dev.berth.cli.text;

/** A colour or weight of terminal text. */
public enum TextStyle {
    PLAIN(""),
    BOLD("1"),
    DIM("2"),
    RED("31"),
    GREEN("32"),
    YELLOW("33"),
    MAGENTA("35"),
    CYAN("36");

    private final String code;

    TextStyle(String code) {
        this.code = code;
    }

    public static TextStyle ofStatus(String status) {
        return switch (status) {
            case "running" -> CYAN;
            case "queued", "pending" -> YELLOW;
            case "completed" -> GREEN;
            case "failed" -> RED;
            case "cancelled" -> MAGENTA;
            default -> PLAIN;
        };
    }

    /** Returns the text unchanged if {@code colours} is false. */
    public String apply(String text, boolean colours) {
        return colours && this != PLAIN ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
