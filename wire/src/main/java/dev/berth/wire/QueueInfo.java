package dev.berth.wire;

/**
 * Size of the queue.
 *
 * @param schedulerRunning false while nothing may start
 */
public record QueueInfo(int queued, int running, boolean schedulerRunning) {}
