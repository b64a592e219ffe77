package dev.berth.app.recover;

import dev.berth.core.id.TaskId;
import dev.berth.engine.recover.RecoveryPlan;
import dev.berth.port.StoreFailure;
import dev.berth.port.recover.HomeTraces;
import dev.berth.port.recover.LivingAttempt;
import dev.berth.store.Generation;
import dev.berth.store.GenerationFile;
import dev.berth.store.StoredState;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * What tells the state of a home besides its database.
 *
 * @param traces what the node shows
 */
record HomeEvidence(HomeFiles files, GenerationFile.Found generation, HomeTraces traces) {

    static HomeEvidence read(HomeFiles files, HomeTraces traces) throws IOException {
        return new HomeEvidence(files, GenerationFile.read(files.generation()), traces);
    }

    private List<Long> folders() {
        return traces.folders();
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
        if (traces.highestFolder() > database.lastTask()) {
            found.add(
                    "Task %d has a directory, but the last task in the database is %d."
                            .formatted(traces.highestFolder(), database.lastTask()));
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
        if (!folders().isEmpty()) {
            found.add(
                    "%d tasks have directories in %s, the last one is task %d."
                            .formatted(folders().size(), files.tasks(), traces.highestFolder()));
        }
        traces.living().values().forEach(attempt -> found.add(describe(attempt)));
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
        for (long task : database.unfinishedTasksUpTo(traces.highestFolder())) {
            if (Collections.binarySearch(folders(), task) >= 0) {
                int known = database.attempts(task).orElse(0);
                var numbers = traces.attempts(new TaskId(task));
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
        for (var attempt : traces.living().values()) {
            if (RecoveryPlan.isUnknown(attempt, traces, database)) {
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
