/**
 * The JSON form of {@code wire} records: snake case names, plain numbers, times in ISO 8601 with
 * microseconds. Input is parsed within limits.
 */
@NullMarked
package dev.berth.json;

import org.jspecify.annotations.NullMarked;
