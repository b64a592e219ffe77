package dev.berth.json.offenders;

import dev.berth.files.offenders.UsesConfig;

/** Depends on a module that it must not use. */
public record UsesFiles(UsesConfig other) {}
