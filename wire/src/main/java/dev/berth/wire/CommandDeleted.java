package dev.berth.wire;

/** The file that is gone. */
public record CommandDeleted(String deleted) {}
