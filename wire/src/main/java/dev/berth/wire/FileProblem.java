package dev.berth.wire;

/**
 * A block of a command file that cannot be understood or can never start, and why.
 *
 * @param line where in the file, counted from 1
 * @param detail plain English
 * @param code for programs and translations
 */
public record FileProblem(int line, String code, String detail) {}
