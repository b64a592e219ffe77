package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A request to start a draft now.
 *
 * @param forceStart use the GPUs although other processes use their memory
 */
public record StartRequest(@Nullable Boolean forceStart) {}
