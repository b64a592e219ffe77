package dev.berth.testengine.offenders;

import dev.berth.server.offenders.UsesNode;

/** Depends on a module that it must not use. */
public record UsesServer(UsesNode other) {}
