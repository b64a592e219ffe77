package dev.berth.store.offenders;

import dev.berth.engine.offenders.UsesStore;

/** Uses the engine; an adapter knows only the ports. */
public record UsesEngineItself(UsesStore other) {}
