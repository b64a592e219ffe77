package dev.berth.server.offenders;

import dev.berth.node.offenders.KnowsTheLoop;

/** Offends by whom it knows. */
public record KnowsTheNode(KnowsTheLoop other) {}
