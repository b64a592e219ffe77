package dev.berth.testkit.offenders;

import dev.berth.engine.offenders.UsesStore;

/** A testkit that uses the engine cannot serve the tests of the engine. */
public record UsesEngine(UsesStore other) {}
