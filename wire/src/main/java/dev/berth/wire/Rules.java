package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * The rules of scheduling.
 *
 * @param file file to which a new key is written
 * @param values by key; the keys of a group are in a nested object
 */
public record Rules(String file, Map<String, @Nullable Object> values, List<RuleEntry> entries) {}
