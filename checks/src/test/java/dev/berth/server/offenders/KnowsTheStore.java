package dev.berth.server.offenders;

import dev.berth.store.offenders.KnowsTheLoop;

/** Offends by whom it knows. */
public record KnowsTheStore(KnowsTheLoop other) {}
