package dev.berth.feed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

class FailureLogTest {

    private static final Logger LOGGER = Logger.getLogger(FailureLogTest.class.getName());

    private final List<String> lines = new ArrayList<>();
    private final FailureLog failures =
            new FailureLog(
                    LoggerFactory.getLogger(FailureLogTest.class), "not written", "written again");
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord line) {
                    lines.add(line.getLevel() + " " + line.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @BeforeEach
    void listen() {
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        LOGGER.removeHandler(handler);
        LOGGER.setUseParentHandlers(true);
    }

    @Test
    void logsOnceUntilEverythingWorksAgain() {
        failures.failed("one", new IOException("full"));
        failures.failed("one", new IOException("full"));
        failures.failed("other", new IOException("full"));
        failures.succeeded("one");
        assertThat(lines).containsExactly("WARNING not written: one: java.io.IOException: full");

        failures.succeeded("other");
        failures.succeeded("other");
        assertThat(lines).hasSize(2).last().isEqualTo("INFO written again");
    }

    @Test
    void aDefectIsAnError() {
        failures.failed("", new IllegalStateException("null"));

        assertThat(lines)
                .containsExactly("SEVERE not written: java.lang.IllegalStateException: null");
    }
}
