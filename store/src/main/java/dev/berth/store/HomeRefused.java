package dev.berth.store;

/**
 * Berth must not start on this home. The message is for the person who tried: what is wrong and
 * what to do.
 */
public final class HomeRefused extends Exception {
    private static final long serialVersionUID = 1;

    HomeRefused(String message) {
        super(message);
    }

    HomeRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
