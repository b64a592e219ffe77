package dev.berth.app;

import dev.berth.server.audit.Audit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/** The audit as a file beside the server's log; it is only ever added to, and moved aside. */
record AuditFile(RotatingFile file) implements Audit, AutoCloseable {

    private static final long FILE_BYTES = 10 << 20;

    /** More than of the log: what was done is asked for later than what went wrong. */
    private static final int FILES_KEPT = 10;

    static AuditFile open(Path logs) throws IOException {
        var file = new RotatingFile(logs.resolve("audit.log"), FILE_BYTES, FILES_KEPT);
        file.setFormatter(
                new Formatter() {
                    @Override
                    public String format(LogRecord entry) {
                        return entry.getMessage().replaceAll("\\p{Cntrl}", "?") + "\n";
                    }
                });
        return new AuditFile(file);
    }

    @Override
    public void write(String line) {
        file.publish(new LogRecord(Level.INFO, line));
    }

    @Override
    public void close() {
        file.close();
    }
}
