package dev.berth.server;

/** The door cannot be opened; the message tells a person why and what to do. */
public final class DoorBlocked extends Exception {
    private static final long serialVersionUID = 1;

    DoorBlocked(String message, Throwable cause) {
        super(message, cause);
    }
}
