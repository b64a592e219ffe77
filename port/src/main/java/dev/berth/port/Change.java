package dev.berth.port;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** One change to the store. It holds the whole new value, so writing it twice is harmless. */
public sealed interface Change {

    /** A task whose script has its text is new or was changed; else the stored text stays. */
    record TaskSaved(Task task) implements Change {}

    /** The task goes with its attempts and claims; its events stay. */
    record TaskRemoved(TaskId task) implements Change {}

    record AttemptSaved(Attempt attempt) implements Change {}

    record GpuSaved(Gpu gpu) implements Change {}

    record KeySaved(SubmitKey key, SubmitKeyUse use) implements Change {}

    record KeyDropped(SubmitKey key) implements Change {}

    record TokenSaved(Token token) implements Change {}

    record TokenDropped(TokenId token) implements Change {}

    record UsageSaved(String principal, GpuUsage.Account account) implements Change {}

    /** The groups of a principal, as the machine's name services list them. */
    record GroupsSaved(String principal, SortedSet<String> groups) implements Change {
        public GroupsSaved {
            groups = Collections.unmodifiableSortedSet(new TreeSet<>(groups));
        }
    }

    record ReservationSaved(Reservation reservation) implements Change {}

    /** The reservation applies no more; its id is not used again. */
    record ReservationEnded(long id, Instant at) implements Change {}

    record SchedulerSaved(SchedulerState scheduler) implements Change {}

    record FileRunSaved(FileRun run) implements Change {}

    record FaultSaved(GpuFault fault) implements Change {}

    record FaultDropped(GpuId gpu) implements Change {}

    /** A learned memory estimate. */
    record EstimateSaved(String model, long mib) implements Change {}

    record ModelSaved(Model model) implements Change {}

    record ModelRemoved(String name) implements Change {}

    /**
     * What a worker answered.
     *
     * @param value JSON
     */
    record ResultSaved(TaskId task, String value) implements Change {}

    /**
     * The runs of a fingerprint that ended until then say nothing about tasks to come.
     *
     * @param fingerprint {@link dev.berth.core.predict.Learned#ALL} for all
     */
    record RunsForgotten(long fingerprint, Instant at) implements Change {}

    record EventAdded(Event event) implements Change {}
}
