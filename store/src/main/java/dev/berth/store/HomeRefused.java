package dev.berth.store;

/**
 * The server must not start with this home. The message tells the user what is wrong and what to
 * do.
 */
public final class HomeRefused extends Exception {
    private static final long serialVersionUID = 1;

    public HomeRefused(String message) {
        super(message);
    }

    HomeRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
