package dev.berth.core.model;

import java.time.Duration;

/**
 * What a model takes, as far as this server has seen it.
 *
 * @param load of the last worker
 * @param run mean of its tasks
 */
public record ModelTimes(Duration load, Duration run) {}
