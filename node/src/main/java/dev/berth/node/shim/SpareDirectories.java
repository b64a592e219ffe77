package dev.berth.node.shim;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.files.AtomicFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Task directories that were created ahead, in {@code tasks/.spare}. Each has the files of a first
 * attempt, still empty, and the links to them. A start renames one and creates no file: on ext4
 * that takes several times as long for minutes after other files were deleted.
 *
 * <p>A spare belongs to no task, and nothing in it gives a process the right to start.
 */
public final class SpareDirectories implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SpareDirectories.class);

    /** So many tasks can start at the same time. */
    private static final int MOST = 8;

    private final Path tasks;
    private final Path directory;
    private final Queue<Path> ready = new ConcurrentLinkedQueue<>();

    /** What an earlier server left may have to stay. */
    private final AtomicLong lastName = new AtomicLong(System.currentTimeMillis());

    /** One thread at a time creates spares. */
    private final ReentrantLock creation = new ReentrantLock();

    private boolean isClosed;

    private SpareDirectories(Path tasks) {
        this.tasks = tasks;
        this.directory = tasks.resolve(".spare");
    }

    /**
     * Removes those of an earlier server. There are none yet.
     *
     * @param tasks the directory that contains the task directories
     */
    public static SpareDirectories open(Path tasks) {
        var spares = new SpareDirectories(tasks);
        spares.removeAll();
        return spares;
    }

    /** On a read-only disk they stay. */
    private void removeAll() {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException | UncheckedIOException refused) {
            log.warn("{} cannot be removed: {}", directory, refused.toString());
        }
    }

    /**
     * Makes a spare the directory of a task, with that of its first attempt.
     *
     * @return false if there is no spare, or the task has a directory already
     */
    public boolean use(AttemptId attempt) {
        var spare = attempt.number() == 1 ? ready.poll() : null;
        if (spare == null) {
            return false;
        }
        try {
            Files.move(spare, TaskDirectories.directory(tasks, attempt.task()));
            return true;
        } catch (FileAlreadyExistsException existing) {
            ready.add(spare);
            return false;
        } catch (IOException removed) {
            log.warn("{} cannot be used: {}", spare, removed.toString());
            return false;
        }
    }

    /** Replaces those that were used, unless another thread does so. */
    public void refill() {
        if (!creation.tryLock()) {
            return;
        }
        try {
            while (!isClosed && ready.size() < MOST) {
                ready.add(create());
            }
        } catch (IOException refused) {
            // A start then creates its own directory, or finds out why that is impossible.
            log.debug("no spare directory can be created", refused);
        } finally {
            creation.unlock();
        }
    }

    private Path create() throws IOException {
        AtomicFile.createDirectory(directory);
        var first = new AttemptId(new TaskId(lastName.incrementAndGet()), 1);
        AttemptDirectory.of(directory, first).createEmpty();
        return TaskDirectories.directory(directory, first.task());
    }

    /** Removes them. A start that happens later creates its own directory. */
    @Override
    public void close() {
        creation.lock();
        try {
            isClosed = true;
            ready.clear();
            removeAll();
        } finally {
            creation.unlock();
        }
    }
}
