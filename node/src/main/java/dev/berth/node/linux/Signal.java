package dev.berth.node.linux;

/** The signals Berth sends; these numbers are the same on every Linux that has pidfds. */
public enum Signal {
    KILL(9),
    TERM(15),
    /** Wakes a stopped process, so that it can follow a TERM. */
    CONT(18);

    private final int number;

    Signal(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
