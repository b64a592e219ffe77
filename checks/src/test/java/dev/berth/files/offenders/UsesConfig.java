package dev.berth.files.offenders;

import dev.berth.config.offenders.UsesFileRuns;

/** Depends on a module that it must not use. */
public record UsesConfig(UsesFileRuns other) {}
