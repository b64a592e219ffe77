package dev.berth.jsontext.offenders;

import dev.berth.wire.Me;

/** Depends on a module that it must not use. */
public record UsesWire(Me other) {}
