package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A record that says its try runs, where nothing of it does.
 *
 * @param pid the process it names
 * @param state as the record has it
 */
public record LeftRecord(String uniId, @Nullable Long pid, String state) {}
