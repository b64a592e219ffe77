package dev.berth.wire;

/** A block of a command file that cannot be understood, and why. */
public record CommandProblem(int line, String code, String detail) {}
