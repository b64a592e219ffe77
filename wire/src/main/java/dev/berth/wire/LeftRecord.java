package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A leftover record: it states that a try is running, but no process of it exists.
 *
 * @param pid the process in the record
 * @param state state in the record
 */
public record LeftRecord(String uniId, @Nullable Long pid, String state) {}
