package dev.berth.wire;

/**
 * Why a block of a command file is invalid or can never start.
 *
 * @param line line of the file, counted from 1
 * @param detail plain English
 * @param code for programs and translations
 */
public record FileProblem(int line, String code, String detail) {}
