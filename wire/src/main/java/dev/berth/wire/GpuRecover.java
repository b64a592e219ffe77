package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A request to use a quarantined GPU again.
 *
 * @param force without testing it first
 */
public record GpuRecover(@Nullable Boolean force) {}
