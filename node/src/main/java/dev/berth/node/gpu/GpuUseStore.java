package dev.berth.node.gpu;

import dev.berth.core.id.AttemptId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Saves the GPU use for the next server, on a thread that may block on the disk. */
final class GpuUseStore {

    private static final Logger log = LoggerFactory.getLogger(GpuUseStore.class);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final Function<AttemptId, Path> files;
    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("gpu-use").daemon().factory());
    private volatile boolean hasWarned;

    GpuUseStore(Function<AttemptId, Path> files) {
        this.files = files;
    }

    Optional<GpuUse> read(AttemptId attempt) {
        try {
            return new GpuUseFile(files.apply(attempt)).read();
        } catch (IOException unreadable) {
            warn(attempt, unreadable);
            return Optional.empty();
        }
    }

    void save(Map<AttemptId, GpuUse> uses) {
        if (!uses.isEmpty()) {
            writer.execute(() -> uses.forEach(this::write));
        }
    }

    private void write(AttemptId attempt, GpuUse use) {
        try {
            new GpuUseFile(files.apply(attempt)).write(use);
        } catch (IOException refused) {
            warn(attempt, refused);
        }
    }

    /** Only once: the data is not essential, and a full disk raises its own alert. */
    private void warn(AttemptId attempt, IOException failure) {
        if (!hasWarned) {
            hasWarned = true;
            log.warn(
                    "task={} attempt={} its GPU use is not saved: {}",
                    attempt.task(),
                    attempt.number(),
                    failure.toString());
        }
    }

    void close() {
        writer.shutdown();
        try {
            var _ = writer.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
