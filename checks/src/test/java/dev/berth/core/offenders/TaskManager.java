package dev.berth.core.offenders;

/** Has a forbidden word in its name. */
public record TaskManager(String name) {}
