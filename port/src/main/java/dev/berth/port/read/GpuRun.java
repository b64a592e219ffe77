package dev.berth.port.read;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;

import java.time.Instant;
import java.util.List;

/**
 * An attempt that has ended, and its GPUs.
 *
 * @param name the task's
 * @param owner the name of the task's owner
 * @param status the task's state in the API; an attempt before the last one has failed
 */
public record GpuRun(
        AttemptId attempt,
        String name,
        String owner,
        String status,
        List<GpuId> gpus,
        Instant start,
        Instant end) {

    public GpuRun {
        gpus = List.copyOf(gpus);
    }
}
