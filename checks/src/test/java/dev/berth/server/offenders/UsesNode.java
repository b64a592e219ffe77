package dev.berth.server.offenders;

import dev.berth.node.offenders.UsesEngineItself;

/** Depends on a module that it must not use. */
public record UsesNode(UsesEngineItself other) {}
