package dev.berth.wire;

import java.util.List;
import java.util.Map;

/**
 * One queue.
 *
 * @param device auto, cpu, or the GPUs its tasks name
 * @param tasks the first of them, in the order in which they start
 */
public record QueueLine(
        String device, int count, Map<String, Integer> priorities, List<QueueTask> tasks) {}
