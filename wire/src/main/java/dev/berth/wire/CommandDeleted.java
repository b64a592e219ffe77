package dev.berth.wire;

/** The deleted file. */
public record CommandDeleted(String deleted) {}
