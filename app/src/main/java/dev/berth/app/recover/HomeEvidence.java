package dev.berth.app.recover;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.engine.recover.RecoveryPlan;
import dev.berth.node.AttemptRecords;
import dev.berth.node.LivingAttempts;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.GoFile;
import dev.berth.node.shim.TaskDirectories;
import dev.berth.port.StoreFailure;
import dev.berth.port.recover.AttemptRecord;
import dev.berth.port.recover.HomeTraces;
import dev.berth.port.recover.LivingAttempt;
import dev.berth.store.Generation;
import dev.berth.store.GenerationFile;
import dev.berth.store.StoredState;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What tells the state of a home besides its database.
 *
 * @param folders ids of the tasks that have a directory, ascending
 * @param living attempts that have processes
 */
record HomeEvidence(
        HomeFiles files,
        GenerationFile.Found generation,
        List<Long> folders,
        SortedMap<AttemptId, LivingAttempt> living)
        implements HomeTraces {

    static HomeEvidence read(HomeFiles files) throws IOException {
        if (!Files.isDirectory(files.tasks())) {
            return new HomeEvidence(
                    files, GenerationFile.read(files.generation()), List.of(), new TreeMap<>());
        }
        return new HomeEvidence(
                files,
                GenerationFile.read(files.generation()),
                Arrays.stream(TaskDirectories.ids(files.tasks())).boxed().toList(),
                LivingAttempts.find(files.tasks()));
    }

    @Override
    public List<Integer> attempts(TaskId task) throws StoreFailure {
        return read(() -> TaskDirectories.attempts(files.tasks(), task));
    }

    @Override
    public AttemptRecord record(AttemptId id) throws StoreFailure {
        var shim = Optional.ofNullable(living.get(id)).flatMap(LivingAttempt::shim);
        return read(() -> AttemptRecords.read(files.tasks(), id, shim));
    }

    /** A shim that finds a tombstone ends without starting anything. */
    @Override
    public boolean isClosed(AttemptId id) throws StoreFailure {
        var go = AttemptDirectory.find(files.tasks(), id).go();
        return read(() -> GoFile.read(go)) instanceof GoFile.Tombstone;
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

    /**
     * What shows that the database is missing, or is not the newest state of this home. Empty if
     * nothing does.
     *
     * @param stored empty if there is no database
     */
    List<String> lostState(Optional<StoredState> stored) throws StoreFailure {
        if (stored.isEmpty()) {
            return withoutDatabase();
        }
        var database = stored.get();
        var found = new ArrayList<String>();
        database.backupAt()
                .ifPresent(at -> found.add("The database is a backup copy, made at " + at + "."));
        generation
                .generation()
                .ifPresent(stamp -> found.addAll(compare(stamp, generationOf(database))));
        if (highestFolder() > database.lastTask()) {
            found.add(
                    "Task %d has a directory, but the last task in the database is %d."
                            .formatted(highestFolder(), database.lastTask()));
        }
        found.addAll(unknownAttempts(database));
        found.addAll(unknownProcesses(database));
        return found;
    }

    private List<String> withoutDatabase() {
        var found = new ArrayList<String>();
        if (!(generation instanceof GenerationFile.Found.Absent)) {
            found.add(files.generation() + " shows that there was one.");
        }
        if (!folders.isEmpty()) {
            found.add(
                    "%d tasks have directories in %s, the last one is task %d."
                            .formatted(folders.size(), files.tasks(), highestFolder()));
        }
        living.values().forEach(attempt -> found.add(describe(attempt)));
        if (!found.isEmpty()) {
            found.addFirst("The database " + files.database() + " is missing.");
        }
        return found;
    }

    private static Optional<Generation> generationOf(StoredState database) {
        try {
            return database.generation();
        } catch (StoreFailure unreadable) {
            return Optional.empty();
        }
    }

    private static List<String> compare(Generation stamp, Optional<Generation> database) {
        if (database.isEmpty()) {
            return List.of(
                    "The database was written by an older version than the one that last used this"
                            + " home.");
        }
        if (!database.get().databaseId().equals(stamp.databaseId())) {
            return List.of("The database belongs to another home, or was created again.");
        }
        return database.get().commits() < stamp.commits()
                ? List.of(
                        "The database has %d commits, but this home had %d; its last task was %d."
                                .formatted(
                                        database.get().commits(),
                                        stamp.commits(),
                                        stamp.lastTask()))
                : List.of();
    }

    /** Only unfinished tasks that have a directory are examined: few, however many have ended. */
    private List<String> unknownAttempts(StoredState database) throws StoreFailure {
        var found = new ArrayList<String>();
        for (long task : database.unfinishedTasks()) {
            if (Collections.binarySearch(folders, task) >= 0) {
                int known = database.attempts(task).orElse(0);
                var numbers = attempts(new TaskId(task));
                if (!numbers.isEmpty() && numbers.getLast() > known) {
                    found.add(
                            "Attempt %d of task %d has a directory, but the database knows only %d."
                                    .formatted(numbers.getLast(), task, known));
                }
            }
        }
        return found;
    }

    private List<String> unknownProcesses(StoredState database) throws StoreFailure {
        var found = new ArrayList<String>();
        for (var attempt : living.values()) {
            if (RecoveryPlan.isUnknown(attempt, this, database)) {
                found.add(describe(attempt));
            }
        }
        return found;
    }

    private static String describe(LivingAttempt attempt) {
        return "Task %s is running as attempt %d (pid %s), which the database does not know."
                .formatted(
                        attempt.id().task(),
                        attempt.id().number(),
                        attempt.shim()
                                .map(shim -> Long.toString(shim.pid()))
                                .orElse(attempt.pids().getFirst().toString()));
    }
}
