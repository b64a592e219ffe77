package dev.berth.nodesocket.offenders;

import dev.berth.node.offenders.UsesEngineItself;

/** Uses the node itself; the server's side must not need it. */
public record UsesNode(UsesEngineItself other) {}
