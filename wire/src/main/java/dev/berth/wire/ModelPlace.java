package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * Where to load or unload a model.
 *
 * @param gpu the number of the GPU; any that has room, or all of them, unless stated
 */
public record ModelPlace(@Nullable Integer gpu) {}
