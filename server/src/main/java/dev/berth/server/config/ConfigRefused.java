package dev.berth.server.config;

/** Nothing starts with such a configuration; the message names file, line and key. */
public final class ConfigRefused extends Exception {
    private static final long serialVersionUID = 1;

    public ConfigRefused(String message) {
        super(message);
    }
}
