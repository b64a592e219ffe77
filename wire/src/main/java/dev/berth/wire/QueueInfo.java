package dev.berth.wire;

/**
 * How much there is to do.
 *
 * @param schedulerRunning false while nothing may start
 */
public record QueueInfo(int queued, int running, boolean schedulerRunning) {}
