package dev.berth.engine.offenders;

import dev.berth.store.offenders.UsesEngineItself;

/** Depends on a module that it must not use. */
public record UsesStore(UsesEngineItself other) {}
