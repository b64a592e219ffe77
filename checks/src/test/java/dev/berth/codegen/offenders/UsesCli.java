package dev.berth.codegen.offenders;

import dev.berth.cli.offenders.UsesCore;

/** Depends on a module that it must not use. */
public record UsesCli(UsesCore other) {}
