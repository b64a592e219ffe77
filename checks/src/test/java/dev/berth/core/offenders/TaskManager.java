package dev.berth.core.offenders;

/** Offends by its name. */
public record TaskManager(String name) {}
