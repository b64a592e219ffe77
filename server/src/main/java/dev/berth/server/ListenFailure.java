package dev.berth.server;

/** The server cannot listen. The message is for people: it gives the reason and what to do. */
public final class ListenFailure extends Exception {
    private static final long serialVersionUID = 1;

    ListenFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
