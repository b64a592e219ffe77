package dev.berth.cli.text;

/** A colour or weight of the terminal. */
public enum Paint {
    PLAIN(""),
    BOLD("1"),
    DIM("2"),
    RED("31"),
    GREEN("32"),
    YELLOW("33"),
    MAGENTA("35"),
    CYAN("36");

    private final String code;

    Paint(String code) {
        this.code = code;
    }

    public static Paint ofStatus(String status) {
        return switch (status) {
            case "running" -> CYAN;
            case "queued", "pending" -> YELLOW;
            case "completed" -> GREEN;
            case "failed" -> RED;
            case "cancelled" -> MAGENTA;
            default -> PLAIN;
        };
    }

    /** The text as it is where {@code colours} is false. */
    public String on(String text, boolean colours) {
        return colours && this != PLAIN ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
