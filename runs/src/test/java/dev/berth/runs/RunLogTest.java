package dev.berth.runs;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.files.TimeLimitedCalls.NoAnswerException;
import dev.berth.files.UserPaths;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

class RunLogTest {

    @TempDir private Path directory;

    @Test
    void aWriteThatEndsAfterItsTimeLimitIsNotRepeated() throws Exception {
        var answer = new CountDownLatch(1);
        var log = new RunLog(7);
        var file = directory.resolve("logs/compete_gpu.log");
        try (var threads = Executors.newCachedThreadPool()) {
            var slow =
                    UserPaths.on(
                            work -> threads.execute(() -> runLater(work, answer)),
                            Duration.ofMillis(50));
            log.add(Instant.EPOCH, "started");
            assertThatThrownBy(() -> log.write(file, slow)).isInstanceOf(NoAnswerException.class);
            log.add(Instant.EPOCH, "finished");
            assertThat(log.isWritten()).isFalse();
            answer.countDown();
            var paths = UserPaths.on(threads);
            eventually(
                    "everything is written",
                    () -> {
                        try {
                            log.write(file, paths);
                        } catch (IOException notYet) {
                            return false;
                        }
                        return log.isWritten();
                    });
        }
        assertThat(Files.readAllLines(file)).hasSize(2);
        assertThat(Files.readString(file)).containsSubsequence("started", "finished");
    }

    private static void runLater(Runnable work, CountDownLatch answer) {
        try {
            answer.await();
            work.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void linesThatCouldNotBeWrittenComeFirstLater() throws Exception {
        var log = new RunLog(7);
        var paths = UserPaths.withOwnThreads();
        var blocked = Files.createDirectory(directory.resolve("a directory"));
        log.add(Instant.EPOCH, "first");
        assertThatThrownBy(() -> log.write(blocked, paths)).isInstanceOf(IOException.class);
        log.add(Instant.EPOCH, "second");
        var file = directory.resolve("log");
        log.write(file, paths);
        assertThat(log.isWritten()).isTrue();
        assertThat(Files.readString(file)).containsSubsequence("first", "second");
        assertThat(Files.readAllLines(file)).hasSize(2);
    }
}
