package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A request to start a draft now.
 *
 * @param forceStart take the cards although somebody uses their memory
 */
public record StartRequest(@Nullable Boolean forceStart) {}
