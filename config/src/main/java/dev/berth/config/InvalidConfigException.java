package dev.berth.config;

/**
 * The configuration is invalid and the server does not start; the message names file, line and key.
 */
public final class InvalidConfigException extends Exception {
    private static final long serialVersionUID = 1;

    public InvalidConfigException(String message) {
        super(message);
    }
}
