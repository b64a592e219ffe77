package dev.berth.server.offenders;

import org.snakeyaml.engine.v2.api.Load;

/** Reads YAML outside config. */
public record UsesYaml(Load load) {}
