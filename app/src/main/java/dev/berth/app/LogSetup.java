package dev.berth.app;

import dev.berth.files.LineSampler;

import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/** One line per event, to stderr and to a rotating file. */
final class LogSetup {

    private static final long FILE_BYTES = 10 << 20;
    private static final int FILES_KEPT = 5;

    static final int MAX_STDERR_BYTES = 1 << 20;

    /**
     * java.util.logging holds loggers by weak references: without these fields they and their
     * levels are garbage collected.
     */
    private static final Logger ROOT = Logger.getLogger("");

    private static final Logger JETTY = Logger.getLogger("org.eclipse.jetty");

    private LogSetup() {}

    /**
     * @param file is rotated
     * @param isQuiet true to log to the file only; then stderr is a file that nothing rotates, and
     *     gets at most {@link #MAX_STDERR_BYTES}
     */
    static SampledLogHandler start(Path file, boolean isQuiet) throws IOException {
        for (var handler : ROOT.getHandlers()) {
            ROOT.removeHandler(handler);
        }
        JETTY.setLevel(Level.WARNING);
        var targets = new ArrayList<Handler>();
        if (isQuiet) {
            System.setErr(LimitedOutput.of(System.err, MAX_STDERR_BYTES));
        } else {
            targets.add(styled(new ConsoleHandler()));
        }
        targets.add(styled(new RotatingLogHandler(file, FILE_BYTES, FILES_KEPT)));
        var sampled = new SampledLogHandler(targets, new LineSampler(System::nanoTime));
        sampled.setLevel(Level.INFO);
        ROOT.addHandler(sampled);
        // Otherwise the JVM writes them to stderr, all of them.
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, failure) ->
                        ROOT.log(Level.SEVERE, "thread " + thread.getName() + " failed", failure));
        return sampled;
    }

    /** For a command of a person, which reports what it does itself. */
    static void switchOff() {
        ROOT.setLevel(Level.OFF);
    }

    private static Handler styled(Handler handler) {
        handler.setFormatter(new LineFormatter());
        handler.setLevel(Level.INFO);
        return handler;
    }

    private static final class LineFormatter extends Formatter {
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
                            // User text may contain line breaks and escape sequences; a log line
                            // must not.
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
