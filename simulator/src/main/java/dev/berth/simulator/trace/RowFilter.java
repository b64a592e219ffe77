package dev.berth.simulator.trace;

/** Keeps only the rows with this value in this column. */
public record RowFilter(String column, String value) {}
