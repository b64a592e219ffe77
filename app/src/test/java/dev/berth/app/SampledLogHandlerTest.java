package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.engine.Engine;
import dev.berth.files.LineSampler;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

class SampledLogHandlerTest {

    private final List<String> lines = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final SampledLogHandler handler =
            new SampledLogHandler(List.of(new Lines()), new LineSampler(nanos::get));

    private final class Lines extends Handler {
        @Override
        public void publish(LogRecord entry) {
            lines.add(entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void linesOfRequestsAreSampledByTheMethodThatLogs() {
        log(100_000, "dev.berth.identity.Authenticator", Level.WARNING, "notServed");
        log(100_000, "dev.berth.identity.Authenticator", Level.WARNING, "unknownUser");
        log(100_000, "org.eclipse.jetty.http.HttpParser", Level.WARNING, "parseLine");
        assertThat(lines).hasSize(3);
        lines.clear();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        handler.writeFinishedCounts();
        assertThat(lines)
                .containsExactlyInAnyOrder(
                        "99999 more lines like this one: WARNING Authenticator.notServed",
                        "99999 more lines like this one: WARNING Authenticator.unknownUser",
                        "99999 more lines like this one: WARNING HttpParser.parseLine");
    }

    @Test
    void otherWarningsHaveAHigherLimit() {
        log(1000, "dev.berth.node.AttemptRunner", Level.SEVERE, "launch");
        assertThat(lines).hasSize(SampledLogHandler.WARNINGS_PER_MINUTE);
    }

    @Test
    void eventsAndInformationAreNeverLeftOut() {
        log(1000, Engine.class.getName(), Level.WARNING, "report");
        log(1000, "dev.berth.notify.Delivery", Level.INFO, "delivered");
        assertThat(lines).hasSize(2000);
    }

    private void log(int times, String logger, Level level, String method) {
        for (int time = 0; time < times; time++) {
            var entry = new LogRecord(level, "line");
            entry.setLoggerName(logger);
            entry.setSourceMethodName(method);
            handler.publish(entry);
        }
    }
}
