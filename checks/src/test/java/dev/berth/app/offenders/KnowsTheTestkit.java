package dev.berth.app.offenders;

import dev.berth.testkit.offenders.KnowsTheServer;

/** Offends by whom it knows. */
public record KnowsTheTestkit(KnowsTheServer other) {}
