package dev.berth.texts.offenders;

import dev.berth.findings.offenders.UsesTexts;

/** Depends on a module that it must not use. */
public record UsesFindings(UsesTexts other) {}
