package dev.berth.app;

import dev.berth.server.audit.Audit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * The audit as a file beside the server's log; it is only ever added to, and moved aside. What came
 * in at the port is in the console's log, too.
 */
record AuditFile(RotatingFile file, RotatingFile console) implements Audit, AutoCloseable {

    private static final long FILE_BYTES = 10 << 20;

    /** More than of the log: what was done is asked for later than what went wrong. */
    private static final int FILES_KEPT = 10;

    private static final int CONSOLE_FILES_KEPT = 5;

    static AuditFile open(Home home) throws IOException {
        return new AuditFile(
                file(home.logs().resolve("audit.log"), FILES_KEPT),
                file(home.consoleLogs().resolve("console.log"), CONSOLE_FILES_KEPT));
    }

    private static RotatingFile file(Path path, int kept) throws IOException {
        var file = new RotatingFile(path, FILE_BYTES, kept);
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
    public void writeOfPort(String line) {
        console.publish(new LogRecord(Level.INFO, line));
    }

    @Override
    public void close() {
        file.close();
        console.close();
    }
}
