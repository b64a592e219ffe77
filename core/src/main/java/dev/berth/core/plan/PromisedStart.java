package dev.berth.core.plan;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The start that backfill keeps for the first waiting head.
 *
 * @param at when the head fits at the latest; empty if no bound is known of a task that it waits
 *     for
 * @param gpus those that it will probably get; empty if {@code at} is
 * @param overrunning attempts on these GPUs that run longer than expected and so move {@code at}
 */
public record PromisedStart(
        Task head, Optional<Instant> at, List<GpuId> gpus, List<AttemptId> overrunning) {

    public PromisedStart {
        gpus = List.copyOf(gpus);
        overrunning = List.copyOf(overrunning);
    }
}
