package dev.berth.simulator.offenders;

import dev.berth.engine.offenders.UsesStore;

/** Depends on a module that it must not use. */
public record UsesEngine(UsesStore other) {}
