package dev.berth.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.Task;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Reports of a try whose file cannot be read normally. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessFileReportsTest {

    private static final Instant NOON = Instant.parse("2025-11-15T12:00:00Z");
    private static final Task TASK =
            Task.queued(
                    new TaskId(1),
                    Owner.unix("ann"),
                    TaskSpec.of("one", "true", Need.CPU, "/"),
                    NOON);

    private static final Optional<ScriptReport> BADLY =
            Optional.of(new ScriptReport(false, Optional.of("oom"), NOON));

    @TempDir Path directory;
    private final List<String> warnings = new ArrayList<>();
    private final Logger logger = Logger.getLogger(ProcessFileReports.class.getName());
    private final Handler listener = listener(warnings);
    private Path file;

    /** What the simulated storage does on a read. */
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
                        AtomicExchange.NONE);
        reports = reports(Duration.ofMinutes(1));
    }

    private ProcessFileReports reports(Duration damagedAfter) {
        return new ProcessFileReports(
                processes, InstantSource.fixed(NOON), Thread::startVirtualThread, damagedAfter);
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
    void aReportIsReadImmediatelyAndAMissingOneIsEmpty() throws Exception {
        assertThat(reports.of(TASK.uniId())).isEmpty();

        replace(badly());

        assertThat(reports.of(TASK.uniId())).isEqualTo(BADLY);
        assertThat(warnings).isEmpty();
    }

    @Test
    void ifTheFileIsTooLargeTheLastContentIsUsedAndLoggedOnce() throws Exception {
        replace(badly());
        // Read by the thread that maintains the records; the engine has not asked yet.
        processes.read();
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {'}'}), ProcessFileContent.MAX_BYTES);
        }

        assertThat(reports.of(TASK.uniId())).isEqualTo(BADLY);
        assertThat(reports.of(TASK.uniId())).isEqualTo(BADLY);
        assertThat(warnings).singleElement().asString().contains("larger than");

        replace("{}");
        assertThat(reports.of(TASK.uniId())).isEmpty();
        Files.delete(file);
        Files.createDirectory(file);
        assertThat(reports.of(TASK.uniId())).isEmpty();
        assertThat(warnings).as("it was well in between").hasSize(2);
    }

    @Test
    void invalidOrEmptyContentIsNotAMissingReport() throws Exception {
        replace(badly());
        processes.read();

        Files.writeString(file, "{\"half");
        assertThat(reports.of(TASK.uniId())).isEqualTo(BADLY);
        Files.writeString(file, "");
        assertThat(reports.of(TASK.uniId())).isEqualTo(BADLY);

        assertThat(warnings).hasSize(1);
    }

    @Test
    void waitsForAScriptThatWritesInPlace() throws Exception {
        replace("{}");
        assertThat(reports.of(TASK.uniId())).isEmpty();
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

        assertThat(reports.of(TASK.uniId())).isEqualTo(BADLY);
        assertThat(warnings).isEmpty();
    }

    @Test
    void aFileThatNothingFinishesIsDamagedAndSaysNothing() throws Exception {
        Files.writeString(file, "{\"half");

        assertThat(reports(Duration.ofMillis(50)).of(TASK.uniId())).isEmpty();

        assertThat(warnings).singleElement().asString().contains("no JSON object");
    }

    @Test
    void hungStorageIsWaitedForAndDecides() throws Exception {
        replace(badly());
        processes.read();
        replace("{}");
        var isWell = new CountDownLatch(1);
        var asked = new CountDownLatch(1);
        storage =
                () -> {
                    asked.countDown();
                    await(isWell);
                };

        var report =
                CompletableFuture.supplyAsync(
                        () -> reports.of(TASK.uniId()), Thread::startVirtualThread);
        asked.await();
        assertThat(report).isNotDone();

        isWell.countDown();
        assertThat(report.join()).as("what the file says now").isEmpty();
        assertThat(warnings).isEmpty();
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
