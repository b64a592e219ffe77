package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.GoFile;
import dev.berth.node.shim.TaskDirectories;
import dev.berth.port.StoreFailure;
import dev.berth.port.recover.AttemptRecord;
import dev.berth.port.recover.AttemptRecord.Outcome;
import dev.berth.port.recover.HomeTraces;
import dev.berth.port.recover.LivingAttempt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The directories and processes of tasks on this host.
 *
 * @param tasks the directory that contains the task directories
 * @param folders ids of the tasks that have a directory, ascending
 * @param living attempts that have processes
 */
public record LocalHomeTraces(
        Path tasks, List<Long> folders, SortedMap<AttemptId, LivingAttempt> living)
        implements HomeTraces {

    /** Of a home of one user. */
    public static LocalHomeTraces read(Path tasks) throws IOException {
        return read(tasks, false);
    }

    /** Of a node that starts tasks as their owners. */
    public static LocalHomeTraces readForManyUsers(Path tasks) throws IOException {
        return read(tasks, true);
    }

    private static LocalHomeTraces read(Path tasks, boolean isForManyUsers) throws IOException {
        if (!Files.isDirectory(tasks)) {
            return new LocalHomeTraces(tasks, List.of(), new TreeMap<>());
        }
        return new LocalHomeTraces(
                tasks,
                Arrays.stream(TaskDirectories.ids(tasks)).boxed().toList(),
                LivingAttempts.find(tasks, isForManyUsers));
    }

    /**
     * The same where other hosts run the attempts, whose processes this one does not see: each that
     * started and left no exit record may live. The server finds out when it adopts them.
     */
    public LocalHomeTraces onCluster() throws StoreFailure {
        var all = new TreeMap<>(living);
        for (long folder : folders) {
            var task = new TaskId(folder);
            for (int number : attempts(task)) {
                var id = new AttemptId(task, number);
                if (record(id).outcome() instanceof Outcome.Started(var shim) && shim.isPresent()) {
                    all.put(id, new LivingAttempt(id, shim, List.of(shim.get().pid())));
                }
            }
        }
        return new LocalHomeTraces(tasks, folders, all);
    }

    @Override
    public List<Integer> attempts(TaskId task) throws StoreFailure {
        return read(() -> TaskDirectories.attempts(tasks, task));
    }

    @Override
    public AttemptRecord record(AttemptId id) throws StoreFailure {
        var shim = Optional.ofNullable(living.get(id)).flatMap(LivingAttempt::shim);
        return read(() -> AttemptRecords.read(tasks, id, shim));
    }

    /** A shim that finds a tombstone ends without starting anything. */
    @Override
    public boolean isClosed(AttemptId id) throws StoreFailure {
        var go = AttemptDirectory.find(tasks, id).go();
        return read(() -> GoFile.read(go)) instanceof GoFile.Tombstone;
    }

    @Override
    public boolean close(AttemptId id) throws StoreFailure {
        var directory = AttemptDirectory.find(tasks, id);
        return read(
                () -> {
                    directory.create();
                    return GoFile.writeTombstone(directory.go())
                            || GoFile.read(directory.go()) instanceof GoFile.Tombstone;
                });
    }

    private interface Reading<T> {
        T read() throws IOException;
    }

    private static <T> T read(Reading<T> reading) throws StoreFailure {
        try {
            return reading.read();
        } catch (IOException unreadable) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE,
                    "the task directories cannot be read: " + unreadable,
                    unreadable);
        }
    }
}
