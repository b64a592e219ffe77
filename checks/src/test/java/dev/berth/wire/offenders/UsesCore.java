package dev.berth.wire.offenders;

import dev.berth.core.offenders.UsesEngine;

/** Depends on a module that it must not use. */
public record UsesCore(UsesEngine other) {}
