package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * The rules of scheduling.
 *
 * @param file where a key goes that stands nowhere yet
 * @param values by key, those of a group in an object of its own
 */
public record Rules(String file, Map<String, @Nullable Object> values, List<RuleEntry> entries) {}
