package dev.berth.app;

import dev.berth.telemetry.audit.AuditLog;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * The audit log, an append-only rotating file beside the server's log. Requests that arrive at the
 * TCP port also go to the console's log.
 */
record AuditFile(RotatingLogHandler file, RotatingLogHandler console)
        implements AuditLog, AutoCloseable {

    private static final long FILE_BYTES = 10 << 20;

    /** More than of the server's log, because audits look further back. */
    private static final int FILES_KEPT = 10;

    private static final int CONSOLE_FILES_KEPT = 5;

    static AuditFile open(HomePaths home) throws IOException {
        return new AuditFile(
                file(home.logs().resolve("audit.log"), FILES_KEPT),
                file(home.consoleLogs().resolve("console.log"), CONSOLE_FILES_KEPT));
    }

    private static RotatingLogHandler file(Path path, int kept) throws IOException {
        var file = new RotatingLogHandler(path, FILE_BYTES, kept);
        file.setFormatter(
                new Formatter() {
                    @Override
                    public String format(LogRecord entry) {
                        return entry.getMessage().replaceAll("\\p{Cntrl}", "?") + "\n";
                    }
                });
        return file;
    }

    @Override
    public void write(String line) {
        file.publish(new LogRecord(Level.INFO, line));
    }

    @Override
    public void writePortChange(String line) {
        console.publish(new LogRecord(Level.INFO, line));
    }

    @Override
    public void close() {
        file.close();
        console.close();
    }
}
