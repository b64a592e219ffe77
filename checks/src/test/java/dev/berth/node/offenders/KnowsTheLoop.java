package dev.berth.node.offenders;

import dev.berth.engine.offenders.KnowsTheStore;

/** Offends: of the engine, a node may know the ports. */
public record KnowsTheLoop(KnowsTheStore other) {}
