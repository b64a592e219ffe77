package dev.berth.node.offenders;

import dev.berth.runs.offenders.UsesRoutes;

/** Depends on a module that it must not use. */
public record UsesRunFiles(UsesRoutes other) {}
