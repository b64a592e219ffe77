package dev.berth.store.offenders;

import dev.berth.engine.offenders.KnowsTheStore;

/** Offends: of the engine, the store may know the ports. */
public record KnowsTheLoop(KnowsTheStore other) {}
