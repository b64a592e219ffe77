package dev.berth.server.lane;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Said;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the engine is told of a try whose file cannot be read as it should. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessFileReportsTest {

    private static final Instant NOON = Instant.parse("2025-11-15T12:00:00Z");
    private static final Task TASK =
            Task.queued(
                    new TaskId(1),
                    Owner.unix("ann"),
                    TaskSpec.of("one", "true", Need.CPU, "/"),
                    NOON);

    private static final Optional<Said> BADLY =
            Optional.of(new Said(false, Optional.of("oom"), NOON));

    @TempDir Path directory;
    private final List<String> warnings = new ArrayList<>();
    private final Logger logger = Logger.getLogger(ProcessFileReports.class.getName());
    private final Handler listener = listener(warnings);
    private Path file;

    /** What its storage does when it is asked. */
    private volatile Runnable storage = () -> {};

    private ProcessFile processes;
    private ProcessFileReports reports;

    @BeforeEach
    void open() {
        logger.addHandler(listener);
        file = directory.resolve("uni_id.json");
        processes =
                new ProcessFile(
                        () -> {
                            storage.run();
                            return file;
                        },
                        Swap.NONE);
        reports =
                new ProcessFileReports(
                        processes, InstantSource.fixed(NOON), Duration.ofSeconds(20));
    }

    /** With no more patience than the engine has, for what is waited for in vain. */
    private ProcessFileReports hasty() {
        return new ProcessFileReports(processes, InstantSource.fixed(NOON));
    }

    @AfterEach
    void close() {
        logger.removeHandler(listener);
    }

    private static String badly() {
        return "{\"%s\":{\"state\":\"abnormal_exit\",\"error_type\":\"oom\"}}"
                .formatted(TASK.uniId());
    }

    private void replace(String text) throws IOException {
        var own = Files.writeString(directory.resolve("own"), text);
        Files.move(own, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void aWordIsHeardAtOnceAndNobodysWordIsNone() throws Exception {
        assertThat(reports.of(TASK)).isEmpty();

        replace(badly());

        assertThat(reports.of(TASK)).isEqualTo(BADLY);
        assertThat(warnings).isEmpty();
    }

    @Test
    void whereTheFileIsTooLargeWhatItSaidBeforeCountsAndItIsToldOnce() throws Exception {
        replace(badly());
        // By the one who keeps the records: the engine has not asked yet.
        processes.look();
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {'}'}), ProcessFileText.LIMIT_BYTES);
        }

        assertThat(reports.of(TASK)).isEqualTo(BADLY);
        assertThat(reports.of(TASK)).isEqualTo(BADLY);
        assertThat(warnings).singleElement().asString().contains("larger than");

        replace("{}");
        assertThat(reports.of(TASK)).isEmpty();
        Files.delete(file);
        Files.createDirectory(file);
        assertThat(reports.of(TASK)).isEmpty();
        assertThat(warnings).as("it was well in between").hasSize(2);
    }

    @Test
    void whatIsNoJsonOrEmptyDoesNotCountAsNothingSaid() throws Exception {
        replace(badly());
        processes.look();
        var reports = hasty();

        Files.writeString(file, "{\"half");
        assertThat(reports.of(TASK)).isEqualTo(BADLY);
        Files.writeString(file, "");
        assertThat(reports.of(TASK)).isEqualTo(BADLY);

        assertThat(warnings).hasSize(1);
    }

    @Test
    void whoWritesInPlaceJustNowIsWaitedFor() throws Exception {
        replace("{}");
        assertThat(reports.of(TASK)).isEmpty();
        var half = badly().substring(0, 20);
        var states = new ArrayDeque<>(List.of("", half, badly()));
        storage =
                () -> {
                    try {
                        if (!states.isEmpty()) {
                            Files.writeString(file, states.remove());
                        }
                    } catch (IOException failure) {
                        throw new UncheckedIOException(failure);
                    }
                };

        assertThat(reports.of(TASK)).isEqualTo(BADLY);
        assertThat(warnings).isEmpty();
    }

    @Test
    void hungStorageDoesNotHoldUpTheEngineAndIsAskedOnce() throws Exception {
        replace(badly());
        processes.look();
        var reports = hasty();
        replace("{}");
        var isWell = new CountDownLatch(1);
        var asked = new AtomicInteger();
        storage =
                () -> {
                    asked.incrementAndGet();
                    await(isWell);
                };

        for (int time = 0; time < 100; time++) {
            assertThat(reports.of(TASK)).as("what it said before").isEqualTo(BADLY);
        }
        assertThat(asked).hasValue(1);
        assertThat(warnings).hasSize(1);

        isWell.countDown();
        eventually("it is read again", () -> reports.of(TASK).isEmpty());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static Handler listener(List<String> heard) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel().equals(Level.WARNING)) {
                    heard.add(entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
