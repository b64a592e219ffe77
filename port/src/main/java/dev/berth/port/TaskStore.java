package dev.berth.port;

import dev.berth.core.access.Token;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** The durable state. Only the engine's thread uses it, except where noted. */
public interface TaskStore {

    /**
     * Fences all earlier writers, and reads what the engine keeps in memory.
     *
     * @return every unfinished task without the text of its script, every attempt that has not
     *     ended, every GPU ever seen, every token, the GPU usage of every principal
     */
    Loaded open() throws StoreFailure;

    /** Stores all of these or none. When it returns, they survive a power failure. */
    void commit(List<Change> changes) throws StoreFailure;

    /** Why the next commit would fail, as far as that is known without trying. For any thread. */
    default Optional<StoreFailure> problem() {
        return Optional.empty();
    }

    /**
     * The text of a task's script. It may be long, so the engine reads it for each start instead of
     * keeping it.
     *
     * @return empty if there is no such task
     */
    Optional<Script.Text> script(TaskId task) throws StoreFailure;

    /**
     * @param epoch increases with each opening; a writer with an older one is refused
     * @param fileRuns file runs that have not ended
     * @param faults quarantined GPUs
     */
    record Loaded(
            long epoch,
            List<Task> tasks,
            List<Attempt> attempts,
            List<Gpu> gpus,
            SortedMap<SubmitKey, SubmitKeyUse> keys,
            List<Token> tokens,
            StoredShares shares,
            SchedulerState scheduler,
            List<FileRun> fileRuns,
            List<GpuFault> faults,
            StoredModels models,
            LastUsed last) {

        public Loaded {
            tasks = List.copyOf(tasks);
            attempts = List.copyOf(attempts);
            gpus = List.copyOf(gpus);
            tokens = List.copyOf(tokens);
            fileRuns = List.copyOf(fileRuns);
            faults = List.copyOf(faults);
            keys =
                    java.util.Collections.unmodifiableSortedMap(
                            new java.util.TreeMap<>((Map<SubmitKey, SubmitKeyUse>) keys));
        }

        public SortedMap<String, GpuUsage.Account> usage() {
            return shares.usage();
        }
    }

    /**
     * What is stored about shares of users.
     *
     * @param usage by principal
     * @param groups by principal
     * @param reservations those that have not ended
     */
    record StoredShares(
            SortedMap<String, GpuUsage.Account> usage,
            SortedMap<String, SortedSet<String>> groups,
            List<Reservation> reservations) {

        public static final StoredShares NONE =
                new StoredShares(
                        java.util.Collections.emptySortedMap(),
                        java.util.Collections.emptySortedMap(),
                        List.of());

        public StoredShares {
            usage =
                    java.util.Collections.unmodifiableSortedMap(
                            new java.util.TreeMap<>((Map<String, GpuUsage.Account>) usage));
            groups =
                    java.util.Collections.unmodifiableSortedMap(
                            new java.util.TreeMap<>((Map<String, SortedSet<String>>) groups));
            reservations = List.copyOf(reservations);
        }
    }

    /**
     * What is stored about models.
     *
     * @param estimates learned memory estimates, in MiB
     * @param added models that were added by a request
     */
    record StoredModels(SortedMap<String, Long> estimates, List<Model> added) {

        public static final StoredModels NONE =
                new StoredModels(java.util.Collections.emptySortedMap(), List.of());

        public StoredModels {
            estimates =
                    java.util.Collections.unmodifiableSortedMap(
                            new java.util.TreeMap<>((Map<String, Long>) estimates));
            added = List.copyOf(added);
        }
    }

    /**
     * The highest values that were ever used; new ones must be higher.
     *
     * @param task the highest task id, finished tasks included
     * @param createdAt the latest creation time of a task; absent in a new home
     * @param fileRun the highest id of a file run; 0 if there was none
     * @param reservation the highest id of a reservation; 0 if there was none
     */
    record LastUsed(
            Optional<TaskId> task,
            Optional<Instant> createdAt,
            long eventSeq,
            long fileRun,
            long reservation) {

        public static final LastUsed NONE =
                new LastUsed(Optional.empty(), Optional.empty(), 0, 0, 0);
    }
}
