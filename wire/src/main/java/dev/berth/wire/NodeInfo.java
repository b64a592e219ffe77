package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A machine that runs tasks.
 *
 * @param state up or down on one machine; on a cluster as Slurm names it, such as idle or drained
 * @param isUsable tasks may start there
 * @param reason why not, as an administrator or Slurm wrote it
 * @param gpuTypes for example "4 x a100"
 * @param gpusUsed GPUs that tasks or jobs of others hold
 * @param taskIds the running tasks of Berth
 * @param users who run Slurm jobs there, Berth's included
 */
public record NodeInfo(
        String name,
        String state,
        boolean isUsable,
        @Nullable String reason,
        List<String> gpuTypes,
        int gpus,
        int gpusUsed,
        List<Long> taskIds,
        List<String> users) {}
