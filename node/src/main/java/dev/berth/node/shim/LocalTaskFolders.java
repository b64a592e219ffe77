package dev.berth.node.shim;

import dev.berth.core.id.TaskId;
import dev.berth.files.AtomicFile;
import dev.berth.port.TaskFolders;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The folders on this host. One thread deletes files, so that nobody waits for it. */
public final class LocalTaskFolders implements TaskFolders, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LocalTaskFolders.class);

    /** A file that is being deleted when the server closes; between two files it stops. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final Path tasks;
    private final Path folding;
    private final Trash trash;
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private volatile boolean isFoldingSupported = true;
    private volatile boolean isClosed;
    private final ExecutorService deleter =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().name("trash").daemon().factory());

    private LocalTaskFolders(Path tasks) {
        this.tasks = tasks;
        this.folding = tasks.resolve(".folding");
        this.trash = new Trash(tasks);
    }

    /** Starts with what the last server left to be deleted. */
    public static LocalTaskFolders open(Path tasks) {
        var folders = new LocalTaskFolders(tasks);
        folders.takeFolding();
        folders.emptyTrash();
        return folders;
    }

    @Override
    public void discard(Collection<TaskId> ids) throws IOException {
        boolean hasMoved = false;
        try {
            for (var id : ids) {
                hasMoved |= trash.take(TaskDirectories.directory(tasks, id));
            }
        } finally {
            if (hasMoved) {
                trash.sync();
                emptyTrash();
            }
        }
    }

    @Override
    public int fold(Collection<TaskId> ids) throws IOException {
        int count = 0;
        for (var id : ids) {
            count += isFoldingSupported && fold(id) ? 1 : 0;
        }
        if (count > 0) {
            // The old directories must not be deleted before the new ones are on the disk.
            trash.sync();
        }
        takeFolding();
        emptyTrash();
        return count;
    }

    /** One folder that fails does not keep the others from being folded. */
    private boolean fold(TaskId id) {
        try {
            AtomicFile.createDirectory(folding);
            var result = TaskFolder.of(tasks, id).fold(folding.resolve(id.toString()));
            isFoldingSupported = result != TaskFolder.Result.UNSUPPORTED;
            return result == TaskFolder.Result.FOLDED;
        } catch (IOException failure) {
            log.warn("the folder of task {} is not folded: {}", id, failure.toString());
            return false;
        }
    }

    /**
     * What folding leaves: an old directory, or a new one that was not completed. They are made
     * outside the trash, because its entries are deleted at any time.
     */
    private void takeFolding() {
        try (var left = Files.newDirectoryStream(folding)) {
            for (var directory : left) {
                trash.takeLinks(directory);
            }
        } catch (NoSuchFileException none) {
            log.debug("{} does not exist yet", folding);
        } catch (IOException | DirectoryIteratorException failure) {
            log.warn("{} cannot be emptied: {}", folding, failure.toString());
        }
    }

    private void emptyTrash() {
        if (!isClosed && isScheduled.compareAndSet(false, true)) {
            deleter.execute(
                    () -> {
                        isScheduled.set(false);
                        trash.empty(() -> isClosed);
                    });
        }
    }

    /** The next server continues. */
    @Override
    public void close() {
        isClosed = true;
        deleter.shutdown();
        try {
            if (!deleter.awaitTermination(CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("a file in {} does not answer", tasks);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
