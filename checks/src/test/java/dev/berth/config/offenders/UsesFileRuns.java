package dev.berth.config.offenders;

import dev.berth.runs.offenders.UsesRoutes;

/** Depends on a module that it must not use. */
public record UsesFileRuns(UsesRoutes other) {}
