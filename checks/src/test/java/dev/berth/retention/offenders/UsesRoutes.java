package dev.berth.retention.offenders;

import dev.berth.server.offenders.UsesNode;

/** Depends on a module that it must not use. */
public record UsesRoutes(UsesNode other) {}
