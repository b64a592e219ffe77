package dev.berth.node.card;

import dev.berth.core.task.AttemptId;

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

/** Keeps tallies for the next server, on a thread that may wait for a disk. */
final class TallyNotes {

    private static final Logger log = LoggerFactory.getLogger(TallyNotes.class);

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Function<AttemptId, Path> files;
    private final ExecutorService writing =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("card-notes").daemon().factory());
    private volatile boolean hasWarned;

    TallyNotes(Function<AttemptId, Path> files) {
        this.files = files;
    }

    Optional<Tally> read(AttemptId attempt) {
        try {
            return new TallyFile(files.apply(attempt)).read();
        } catch (IOException unreadable) {
            warn(attempt, unreadable);
            return Optional.empty();
        }
    }

    void keep(Map<AttemptId, Tally> tallies) {
        if (!tallies.isEmpty()) {
            writing.execute(() -> tallies.forEach(this::write));
        }
    }

    private void write(AttemptId attempt, Tally tally) {
        try {
            new TallyFile(files.apply(attempt)).write(tally);
        } catch (IOException refused) {
            warn(attempt, refused);
        }
    }

    /** Once: it is a convenience, and a full disk has its own alert. */
    private void warn(AttemptId attempt, IOException failure) {
        if (!hasWarned) {
            hasWarned = true;
            log.warn(
                    "task={} attempt={} what it makes of its cards is not kept: {}",
                    attempt.task(),
                    attempt.number(),
                    failure.toString());
        }
    }

    void close() {
        writing.shutdown();
        try {
            var _ = writing.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
