package dev.berth.core.offenders.unmarked;

/** Its package has no package-info. */
public record NotNullMarked(String name) {}
