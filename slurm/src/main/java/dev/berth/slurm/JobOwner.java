package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.RunAs;

/**
 * For whom Slurm runs or ends a job, where jobs do not belong to the user of the server.
 *
 * @param attempt that the job is for
 */
public record JobOwner(AttemptId attempt, RunAs account) {}
