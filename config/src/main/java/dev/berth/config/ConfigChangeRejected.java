package dev.berth.config;

import dev.berth.core.Rejected;

/** A requested change of the configuration was rejected; nothing has changed. */
public final class ConfigChangeRejected extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Rejected why;

    ConfigChangeRejected(Rejected why) {
        // An expected outcome: the stack trace is never read.
        super(why.code() + " " + why.params(), null, false, false);
        this.why = why;
    }

    public Rejected why() {
        return why;
    }
}
