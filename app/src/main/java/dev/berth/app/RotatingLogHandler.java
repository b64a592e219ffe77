package dev.berth.app;

import dev.berth.files.RotatingLogFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.ErrorManager;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/**
 * Writes log records to a rotating file. The JDK's FileHandler cannot keep a fixed name for the
 * newest file.
 */
final class RotatingLogHandler extends Handler {

    private final RotatingLogFile text;

    /**
     * @param kept the maximum number of files, including the newest
     */
    RotatingLogHandler(Path file, long maxBytes, int kept) throws IOException {
        this.text = new RotatingLogFile(file, maxBytes, kept);
    }

    @Override
    public void publish(LogRecord entry) {
        if (!isLoggable(entry)) {
            return;
        }
        try {
            text.write(getFormatter().format(entry));
        } catch (IOException full) {
            // A log that cannot be written must not stop the server; stderr still gets the line.
            reportError("the log cannot be written", full, ErrorManager.WRITE_FAILURE);
        }
    }

    @Override
    public void flush() {
        // Every line is written immediately.
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
