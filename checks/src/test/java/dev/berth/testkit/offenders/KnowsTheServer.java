package dev.berth.testkit.offenders;

import dev.berth.server.offenders.KnowsTheNode;

/** Offends by whom it knows. */
public record KnowsTheServer(KnowsTheNode other) {}
