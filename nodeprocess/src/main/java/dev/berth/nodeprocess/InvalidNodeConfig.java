package dev.berth.nodeprocess;

/** The configuration of the node cannot be used; the message tells what to change. */
public final class InvalidNodeConfig extends Exception {
    private static final long serialVersionUID = 1;

    InvalidNodeConfig(String message) {
        super(message);
    }
}
