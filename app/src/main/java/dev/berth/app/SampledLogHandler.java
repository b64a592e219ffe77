package dev.berth.app;

import dev.berth.engine.Engine;
import dev.berth.files.LineSampler;

import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Passes log records on to other handlers. Of warnings of one kind only the first of a minute are
 * passed on, with a count of the others: a client that repeats a request must not rotate earlier
 * lines away. A kind is the method that logs.
 */
final class SampledLogHandler extends Handler {

    /** For lines that a single request causes, be it refused or not. */
    static final int REQUEST_LINES_PER_MINUTE = 1;

    static final int WARNINGS_PER_MINUTE = 20;

    private static final List<String> REQUEST_LOGGERS =
            List.of(
                    "dev.berth.http.",
                    "dev.berth.identity.",
                    "dev.berth.server.",
                    "org.eclipse.jetty.");

    private final List<Handler> targets;
    private final LineSampler sampler;

    SampledLogHandler(List<Handler> targets, LineSampler sampler) {
        this.targets = List.copyOf(targets);
        this.sampler = sampler;
    }

    @Override
    public void publish(LogRecord entry) {
        if (!isLoggable(entry)) {
            return;
        }
        write(sampler.takeFinished());
        if (isAlwaysWritten(entry) || sampler.admits(kind(entry), limit(entry))) {
            targets.forEach(target -> target.publish(entry));
        }
    }

    /** Committed events are all written; the engine logs them. */
    private static boolean isAlwaysWritten(LogRecord entry) {
        return entry.getLevel().intValue() < Level.WARNING.intValue()
                || (Engine.class.getName().equals(entry.getLoggerName())
                        && entry.getThrown() == null);
    }

    private static String kind(LogRecord entry) {
        var logger = String.valueOf(entry.getLoggerName());
        return entry.getLevel().getName()
                + " "
                + logger.substring(logger.lastIndexOf('.') + 1)
                + "."
                + entry.getSourceMethodName();
    }

    private static int limit(LogRecord entry) {
        var logger = String.valueOf(entry.getLoggerName());
        return REQUEST_LOGGERS.stream().anyMatch(logger::startsWith)
                ? REQUEST_LINES_PER_MINUTE
                : WARNINGS_PER_MINUTE;
    }

    /** Writes how many lines were left out, for all minutes that are over. */
    void writeFinishedCounts() {
        write(sampler.takeFinished());
    }

    /** The same for all minutes, as the last lines of the log. */
    void writeAllCounts() {
        write(sampler.takeAll());
    }

    private void write(List<LineSampler.LeftOut> counts) {
        for (var count : counts) {
            var entry =
                    new LogRecord(
                            Level.WARNING,
                            count.lines() + " more lines like this one: " + count.kind());
            entry.setLoggerName(SampledLogHandler.class.getName());
            targets.forEach(target -> target.publish(entry));
        }
    }

    @Override
    public void flush() {
        targets.forEach(Handler::flush);
    }

    @Override
    public void close() {
        writeAllCounts();
        targets.forEach(Handler::close);
    }
}
