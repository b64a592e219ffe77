package dev.berth.core.offenders;

import dev.berth.engine.offenders.KnowsTheStore;

/** Offends by whom it knows. */
public record KnowsTheEngine(KnowsTheStore other) {}
