package dev.berth.core.offenders.unmarked;

/** Offends by its package, which has no package-info. */
public record NotNullMarked(String name) {}
