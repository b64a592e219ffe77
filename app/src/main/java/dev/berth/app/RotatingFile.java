package dev.berth.app;

import dev.berth.server.log.RotatingText;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.ErrorManager;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/**
 * Log records in a file that rotates. Java's own handler cannot leave the newest its plain name.
 */
final class RotatingFile extends Handler {

    private final RotatingText text;

    /**
     * @param kept files at most, the newest included
     */
    RotatingFile(Path file, long mostBytes, int kept) throws IOException {
        this.text = new RotatingText(file, mostBytes, kept);
    }

    @Override
    public void publish(LogRecord entry) {
        if (!isLoggable(entry)) {
            return;
        }
        try {
            text.write(getFormatter().format(entry));
        } catch (IOException full) {
            // A log that cannot be written must not stop what it tells of; stderr still gets the
            // line.
            reportError("the log cannot be written", full, ErrorManager.WRITE_FAILURE);
        }
    }

    @Override
    public void flush() {
        // Every line is written at once.
    }

    @Override
    public void close() {
        try {
            text.close();
        } catch (IOException failure) {
            reportError("the log cannot be closed", failure, ErrorManager.CLOSE_FAILURE);
        }
    }
}
