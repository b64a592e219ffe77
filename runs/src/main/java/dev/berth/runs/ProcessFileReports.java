package dev.berth.runs;

import dev.berth.core.task.ScriptReport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads from the process file what a script reported about its own end.
 *
 * <p>The caller waits until the file has been read, however long its storage takes: a limit would
 * let a loaded machine decide whether a report counts. The reading is done by an executor, because
 * callers are virtual threads and a hung file system would hold their carrier threads.
 */
public final class ProcessFileReports {

    private static final Logger log = LoggerFactory.getLogger(ProcessFileReports.class);

    /** A file that is no JSON and that nothing writes to for this time is damaged. */
    private static final Duration DAMAGED_AFTER = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(5);

    private final ProcessFile file;
    private final InstantSource clock;
    private final Executor reader;
    private final Duration damagedAfter;
    private volatile boolean isFailing;

    /**
     * @param reader reads the file; one thread is enough
     */
    public ProcessFileReports(ProcessFile file, InstantSource clock, Executor reader) {
        this(file, clock, reader, DAMAGED_AFTER);
    }

    ProcessFileReports(
            ProcessFile file, InstantSource clock, Executor reader, Duration damagedAfter) {
        this.file = file;
        this.clock = clock;
        this.reader = reader;
        this.damagedAfter = damagedAfter;
    }

    /**
     * What the file says now. If it cannot be read at all, what it said when it was last whole.
     *
     * @param uniId the key of the script's record
     */
    public Optional<ScriptReport> of(String uniId) {
        return CompletableFuture.supplyAsync(() -> read(uniId), reader).join();
    }

    /** A script that writes the file in place leaves it unfinished for a moment. */
    private Optional<ScriptReport> read(String uniId) {
        var identity = Optional.<ProcessFileContent.FileStamp>empty();
        long unchangedSince = System.nanoTime();
        while (true) {
            ProcessFileContent text;
            try {
                text = file.read();
            } catch (IOException unreadable) {
                return lastKnown(uniId, unreadable.toString());
            }
            if (!text.isIncomplete()) {
                recovered();
                return TaskTry.readReport(text.tree(), uniId, clock.instant());
            }
            if (!text.identity().equals(identity)) {
                identity = text.identity();
                unchangedSince = System.nanoTime();
            }
            boolean isDamaged = System.nanoTime() - unchangedSince > damagedAfter.toNanos();
            // The first report of an attempt counts, so a known one needs no waiting.
            if (isDamaged || lastKnown(uniId).isPresent()) {
                return lastKnown(uniId, "it is no JSON object");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private Optional<ScriptReport> lastKnown(String uniId) {
        return file.lastParsed().flatMap(tree -> TaskTry.readReport(tree, uniId, clock.instant()));
    }

    private Optional<ScriptReport> lastKnown(String uniId, String why) {
        if (!isFailing) {
            isFailing = true;
            log.warn(
                    "the reports of scripts cannot be read, and what they reported before counts:"
                            + " {}",
                    why);
        }
        return lastKnown(uniId);
    }

    private void recovered() {
        if (isFailing) {
            isFailing = false;
            log.info("the reports of scripts can be read again");
        }
    }
}
