package dev.berth.core.lane;

/**
 * A block that cannot be understood.
 *
 * @param line the line at fault, counted from 1
 * @param code stable dotted word that programs match and the console translates
 * @param detail what is wrong and what to do, in English
 */
public record Problem(int line, String code, String detail) {}
