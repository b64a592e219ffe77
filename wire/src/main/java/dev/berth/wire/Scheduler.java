package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * Whether Berth starts tasks.
 *
 * @param changed whether this call changed it
 * @param since when a person last changed it
 * @param by the user who changed it
 */
public record Scheduler(
        boolean running, boolean changed, @Nullable String since, @Nullable String by) {}
