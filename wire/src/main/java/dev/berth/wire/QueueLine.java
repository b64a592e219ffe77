package dev.berth.wire;

import java.util.List;
import java.util.Map;

/**
 * One queue.
 *
 * @param device auto, cpu, the GPUs its tasks name, the name of a lane, or slurm
 * @param kind main, cpu, devices, lane or cluster
 * @param tasks the first of them, in the order in which they start
 */
public record QueueLine(
        String device,
        String kind,
        int count,
        Map<String, Integer> priorities,
        List<QueueTask> tasks) {}
