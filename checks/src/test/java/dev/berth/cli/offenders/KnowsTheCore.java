package dev.berth.cli.offenders;

import dev.berth.core.offenders.KnowsTheEngine;

/** Offends by whom it knows. */
public record KnowsTheCore(KnowsTheEngine other) {}
