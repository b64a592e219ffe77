package dev.berth.node.shim;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.files.AtomicFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Task directories that were created ahead, in {@code tasks/.spare}. Each has the files of a first
 * attempt, still empty, and the links to them. A start renames one and creates no file: on ext4
 * that takes several times as long for minutes after other files were deleted. All links of a name
 * are the same, so a spare takes over those of the spare before it, under a further name.
 *
 * <p>A spare belongs to no task, and nothing in it gives a process the right to start.
 */
public final class SpareDirectories implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SpareDirectories.class);
    private static final String THREAD_NAME = "spare-directories";

    /** Enough for the tasks that start within the delay of a refill. */
    private static final int FEW = 8;

    /** Fewer than {@link #FEW} tasks start in this time if they start one after another. */
    private static final Duration REFILL_DELAY = Duration.ofMillis(5);

    /** How many tasks can start one after another before directories are created again. */
    private static final int MOST = 64;

    /** If nothing starts in this time, creating directories delays no start. */
    private static final Duration IDLE = Duration.ofMillis(50);

    /** Spares may be days old, and somebody may have removed or replaced a part of one. */
    private static final Duration EXAMINED_AFTER = Duration.ofSeconds(10);

    private final Path tasks;
    private final Path directory;
    private final Duration examinedAfter;
    private final Duration idle;
    private final Queue<Spare> ready = new ConcurrentLinkedQueue<>();

    /** What an earlier server left may have to stay. */
    private final AtomicLong lastName = new AtomicLong(System.currentTimeMillis());

    private final DelayedWork refillOfFew =
            new DelayedWork(THREAD_NAME, REFILL_DELAY, this::refill);

    private final DelayedWork refillWhenIdle;

    private final AtomicInteger starts = new AtomicInteger();
    private volatile long lastStart = System.nanoTime();

    /** One thread at a time creates spares. */
    private final ReentrantLock creation = new ReentrantLock();

    private volatile boolean isClosed;

    /**
     * @param createdAt by the monotonic clock
     */
    private record Spare(Path path, long createdAt) {}

    private SpareDirectories(Path tasks, Duration examinedAfter, Duration idle) {
        this.tasks = tasks;
        this.examinedAfter = examinedAfter;
        this.idle = idle;
        this.refillWhenIdle = new DelayedWork(THREAD_NAME, idle, this::refillIfIdle);
        this.directory = tasks.resolve(".spare");
    }

    /**
     * Removes those of an earlier server. There are none yet.
     *
     * @param tasks the directory that contains the task directories
     */
    public static SpareDirectories open(Path tasks) {
        return open(tasks, EXAMINED_AFTER, IDLE);
    }

    /**
     * @param examinedAfter how old a spare is that is examined before it is used
     * @param idle how long nothing has started when many are created
     */
    static SpareDirectories open(Path tasks, Duration examinedAfter, Duration idle) {
        var spares = new SpareDirectories(tasks, examinedAfter, idle);
        remove(spares.directory);
        return spares;
    }

    /** What cannot be removed, on a read-only disk for example, stays. */
    private static void remove(Path directory) {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(SpareDirectories::removeOne);
        } catch (IOException | UncheckedIOException refused) {
            log.warn("{} cannot be read: {}", directory, refused.toString());
        }
    }

    private static void removeOne(Path file) {
        try {
            Files.delete(file);
        } catch (IOException refused) {
            log.warn("{} cannot be removed: {}", file, refused.toString());
        }
    }

    /**
     * Makes a spare the directory of a task, with that of its first attempt.
     *
     * @return false if there is no complete spare, or the task has a directory already
     */
    public boolean use(AttemptId attempt) {
        lastStart = System.nanoTime();
        var spare = attempt.number() == 1 ? ready.poll() : null;
        if (spare == null) {
            return false;
        }
        try {
            Files.move(spare.path(), TaskDirectories.directory(tasks, attempt.task()));
            return isYoung(spare) || AttemptDirectory.of(tasks, attempt).isComplete();
        } catch (NoSuchFileException removed) {
            log.warn("{} was removed", spare.path());
            return false;
        } catch (IOException refused) {
            // The task has a directory already, for example.
            ready.add(spare);
            return false;
        }
    }

    /** A spare that is not is examined before it is used. */
    private boolean isYoung(Spare spare) {
        return System.nanoTime() - spare.createdAt() < examinedAfter.toNanos();
    }

    /**
     * Replaces those that were used, when nothing starts any more: new files would delay starts,
     * and their commits. If few are left, it does so a moment later. A server that has started few
     * tasks keeps few.
     */
    public void refillSoon() {
        if (starts.incrementAndGet() >= FEW) {
            refillWhenIdle.request();
        }
        if (ready.size() < FEW) {
            refillOfFew.request();
        }
    }

    private void refillIfIdle() {
        refill(MOST, this::isIdle);
        if (!isIdle()) {
            refillWhenIdle.request();
        }
    }

    private boolean isIdle() {
        return System.nanoTime() - lastStart > idle.toNanos();
    }

    /** Creates the first ones, or those that are urgently missing. */
    public void refill() {
        refill(FEW, () -> true);
    }

    /**
     * @param mayGoOn asked before each
     */
    private void refill(int count, BooleanSupplier mayGoOn) {
        creation.lock();
        try {
            while (!isClosed && ready.size() < count && mayGoOn.getAsBoolean()) {
                ready.add(create());
            }
        } catch (IOException refused) {
            // A start then creates its own directory, or finds out why that is impossible.
            log.debug("no spare directory can be created", refused);
        } finally {
            creation.unlock();
        }
    }

    private Spare create() throws IOException {
        AtomicFile.createDirectory(directory);
        var first = new AttemptId(new TaskId(lastName.incrementAndGet()), 1);
        var spare = TaskDirectories.directory(directory, first.task());
        try {
            var other = Optional.ofNullable(ready.peek()).filter(this::isYoung);
            AttemptDirectory.of(directory, first).createEmpty(other.map(Spare::path));
            return new Spare(spare, System.nanoTime());
        } catch (IOException refused) {
            remove(spare);
            throw refused;
        }
    }

    /** Removes them. A start that happens later creates its own directory. */
    @Override
    public void close() {
        isClosed = true;
        creation.lock();
        try {
            ready.clear();
            remove(directory);
        } finally {
            creation.unlock();
        }
    }
}
