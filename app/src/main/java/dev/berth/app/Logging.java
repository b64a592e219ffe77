package dev.berth.app;

import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/** One line per event, to stderr and to a file that rotates by itself. */
final class Logging {

    private static final long FILE_BYTES = 10 << 20;
    private static final int FILES_KEPT = 5;

    /** Java's loggers are collected when nobody holds them, and their levels with them. */
    private static final Logger ROOT = Logger.getLogger("");

    private static final Logger JETTY = Logger.getLogger("org.eclipse.jetty");

    private Logging() {}

    /**
     * @param isQuiet to the file only
     */
    static void start(Path logs, boolean isQuiet) throws IOException {
        for (var handler : ROOT.getHandlers()) {
            ROOT.removeHandler(handler);
        }
        JETTY.setLevel(Level.WARNING);
        if (!isQuiet) {
            ROOT.addHandler(styled(new ConsoleHandler()));
        }
        ROOT.addHandler(
                styled(new RotatingFile(logs.resolve("berth.log"), FILE_BYTES, FILES_KEPT)));
    }

    private static Handler styled(Handler handler) {
        handler.setFormatter(new Line());
        handler.setLevel(Level.INFO);
        return handler;
    }

    private static final class Line extends Formatter {
        private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

        private final DateTimeFormatter time =
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSxxx")
                        .withZone(ZoneId.systemDefault());

        @Override
        public String format(LogRecord entry) {
            var name = entry.getLoggerName();
            var line =
                    new StringBuilder(120)
                            .append(time.format(entry.getInstant()))
                            .append(' ')
                            .append(entry.getLevel().getName())
                            .append(' ')
                            .append(name.substring(name.lastIndexOf('.') + 1))
                            .append("  ")
                            // A user's text may hold line breaks and escape sequences; a log line
                            // may not.
                            .append(CONTROL.matcher(formatMessage(entry)).replaceAll("?"))
                            .append('\n');
            for (var cause = entry.getThrown(); cause != null; cause = cause.getCause()) {
                line.append("    ").append(cause).append('\n');
                for (var frame : cause.getStackTrace()) {
                    line.append("        at ").append(frame).append('\n');
                }
            }
            return line.toString();
        }
    }
}
