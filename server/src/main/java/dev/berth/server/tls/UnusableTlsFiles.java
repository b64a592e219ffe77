package dev.berth.server.tls;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The certificate or its key cannot be used. The message begins with the configuration key. */
public final class UnusableTlsFiles extends IOException {
    private static final long serialVersionUID = 1;

    UnusableTlsFiles(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    UnusableTlsFiles(String message) {
        this(message, null);
    }
}
