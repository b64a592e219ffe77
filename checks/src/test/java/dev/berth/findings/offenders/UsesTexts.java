package dev.berth.findings.offenders;

import dev.berth.texts.offenders.UsesFindings;

/** Depends on a module that it must not use. */
public record UsesTexts(UsesFindings other) {}
