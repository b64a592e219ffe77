package dev.berth.slurm.offenders;

import dev.berth.engine.EngineState;

/** Uses the engine itself; facts are all that it may get. */
public record UsesEngine(EngineState state) {}
