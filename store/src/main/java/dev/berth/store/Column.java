package dev.berth.store;

/**
 * A named column of a result or of a {@link SqlTable}.
 *
 * @param index counted from 1, as JDBC does. It is resolved once, so that reading or writing a row
 *     needs no lookup by name.
 */
record Column(String name, int index) {}
