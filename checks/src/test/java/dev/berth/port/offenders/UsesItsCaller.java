package dev.berth.port.offenders;

import dev.berth.engine.offenders.UsesStore;

/** Depends on a module that it must not use. */
public record UsesItsCaller(UsesStore other) {}
