package dev.berth.node.linux;

/** The signals that Berth sends. These numbers are the same on every Linux that has pidfds. */
public enum Signal {
    KILL(9),
    TERM(15),
    /** Continues a stopped process, so that it can handle a TERM. */
    CONT(18);

    private final int number;

    Signal(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
