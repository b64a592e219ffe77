package dev.berth.server.lane;

import dev.berth.core.task.Said;
import dev.berth.core.task.Task;
import dev.berth.engine.port.Reports;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * What the process file says of a try's end, at this very moment. The engine asks, and must not
 * hang where the file's storage does: another thread reads, and the engine waits a little for it.
 * Where it waits in vain, it goes by what the file said when it could last be read.
 */
public final class ProcessFileReports implements Reports {

    private static final Logger log = LoggerFactory.getLogger(ProcessFileReports.class);

    private static final Duration PATIENCE = Duration.ofMillis(500);

    private static final Duration PAUSE = Duration.ofMillis(5);

    private final ProcessFile file;
    private final InstantSource clock;
    private final Duration patience;

    // The engine's thread's own.
    private Optional<FutureTask<ProcessFileText>> last = Optional.empty();
    private boolean isFailing;

    public ProcessFileReports(ProcessFile file, InstantSource clock) {
        this(file, clock, PATIENCE);
    }

    ProcessFileReports(ProcessFile file, InstantSource clock, Duration patience) {
        this.file = file;
        this.clock = clock;
        this.patience = patience;
    }

    @Override
    public Optional<Said> of(Task task) {
        return tree().or(file::lastWhole)
                .flatMap(tree -> ProcessFileTry.said(tree, task.uniId(), clock.instant()));
    }

    /** Empty where it cannot be read now. */
    private Optional<ObjectNode> tree() {
        if (last.isPresent() && !last.get().isDone()) {
            // It has had its time. No other is begun beside it.
            return Optional.empty();
        }
        var reading = new FutureTask<ProcessFileText>(this::read);
        last = Optional.of(reading);
        Thread.ofPlatform().daemon().name("process-file-reader").start(reading);
        try {
            var text = reading.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (text.isUnfinished()) {
                failed("it is no JSON object");
                return Optional.empty();
            }
            recovered();
            return Optional.of(text.tree());
        } catch (TimeoutException hung) {
            failed("not within " + patience.toMillis() + " ms");
        } catch (ExecutionException unreadable) {
            failed(String.valueOf(unreadable.getCause()));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    /**
     * Who writes in place is given the time to finish; a little less than the engine waits, so that
     * it is told that the file is not whole.
     */
    private ProcessFileText read() throws IOException {
        long end = System.nanoTime() + patience.toNanos() / 5 * 4;
        var text = file.look();
        while (text.isUnfinished() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(PAUSE.toNanos());
            text = file.look();
        }
        return text;
    }

    private void failed(String why) {
        if (!isFailing) {
            isFailing = true;
            log.warn(
                    "what scripts say of their end cannot be read, and what they said before"
                            + " counts: {}",
                    why);
        }
    }

    private void recovered() {
        if (isFailing) {
            isFailing = false;
            log.info("what scripts say of their end can be read again");
        }
    }
}
