package dev.berth.nodeprocess.offenders;

import dev.berth.server.offenders.UsesYaml;

/** Brings the server into the process of root. */
public record UsesServer(UsesYaml other) {}
