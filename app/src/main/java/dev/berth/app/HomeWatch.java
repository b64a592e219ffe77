package dev.berth.app;

import dev.berth.port.StoreFailure;
import dev.berth.store.GenerationFile;
import dev.berth.store.HeldFiles;
import dev.berth.store.HomeLock;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Checks once a second that the files of the home are still there. While one is missing, nothing is
 * stored and tasks continue. If another server has taken over the home, this process ends.
 */
final class HomeWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HomeWatch.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** The exit status of a server whose home belongs to another one. */
    private static final int REPLACED = 3;

    private final HeldFiles held;
    private final GenerationFile generation;
    private final HomeLock lock;
    private final Thread thread;
    private Optional<String> reported = Optional.empty();

    private HomeWatch(HeldFiles held, GenerationFile generation, HomeLock lock) {
        this.held = held;
        this.generation = generation;
        this.lock = lock;
        this.thread = Thread.ofPlatform().daemon().name("home-watch").unstarted(this::run);
    }

    static HomeWatch start(HeldFiles held, GenerationFile generation, HomeLock lock) {
        var watch = new HomeWatch(held, generation, lock);
        watch.thread.start();
        return watch;
    }

    private void run() {
        while (!thread.isInterrupted()) {
            check();
            try {
                Thread.sleep(INTERVAL);
            } catch (InterruptedException closed) {
                return;
            }
        }
    }

    private void check() {
        var problem = held.problem().map(StoreFailure::getMessage);
        if (problem.isEmpty()) {
            reported.ifPresent(_ -> log.info("the files of the home are back"));
            generation.restoreIfRemoved();
        } else {
            if (!problem.equals(reported)) {
                log.error("{} Tasks continue, submits are refused.", problem.get());
            }
            endIfReplaced();
        }
        reported = problem;
    }

    /** Without closing anything: the files at the paths now belong to the other server. */
    private void endIfReplaced() {
        try {
            if (lock.isReplacedByOther()) {
                var line =
                        "Another server has taken over this home: %s. This one ends; its tasks continue."
                                .formatted(
                                        HomeLock.holder(lock.path().resolveSibling(""))
                                                .map(HomeLock.LockHolder::toString)
                                                .orElse("unknown"));
                log.error(line);
                System.err.println("berth: " + line);
                Runtime.getRuntime().halt(REPLACED);
            }
        } catch (IOException unreadable) {
            log.debug("the lock cannot be examined", unreadable);
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.interrupt();
        thread.join(INTERVAL.multipliedBy(2));
    }
}
