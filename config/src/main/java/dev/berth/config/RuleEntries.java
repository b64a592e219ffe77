package dev.berth.config;

import dev.berth.wire.ConfigEntry;
import dev.berth.wire.RuleEntry;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Converts changeable keys to their API form. */
final class RuleEntries {

    private static final String USUAL = "usual";

    private RuleEntries() {}

    static RuleEntry of(ConfigKey<?> key, Configuration config) {
        // A key with a user-defined name that is not set has no entry.
        var entry = config.entry(key.name());
        var form = key.type().inputForm();
        return new RuleEntry(
                key.name(),
                entry.map(ConfigEntry::value).orElse(null),
                entry.map(ConfigEntry::defaultValue).orElse(null),
                entry.map(ConfigEntry::source)
                        .filter(source -> !source.equals(ConfigSources.DEFAULT_SOURCE))
                        .orElse(USUAL),
                form.name(),
                form.choices().isEmpty() ? null : form.choices(),
                number(form.min()),
                number(form.max()),
                key.description());
    }

    /** Nested as in a file. */
    static Map<String, @Nullable Object> values(List<RuleEntry> entries) {
        var values = new LinkedHashMap<String, @Nullable Object>();
        var groups = new LinkedHashMap<String, Map<String, @Nullable Object>>();
        for (var entry : entries) {
            int dot = entry.key().indexOf('.');
            if (dot < 0) {
                values.put(entry.key(), entry.value());
            } else {
                var group = entry.key().substring(0, dot);
                var members =
                        groups.computeIfAbsent(
                                group, _ -> new LinkedHashMap<String, @Nullable Object>());
                members.put(entry.key().substring(dot + 1), entry.value());
                values.put(group, members);
            }
        }
        return values;
    }

    private static @Nullable Long number(OptionalLong number) {
        return number.isPresent() ? number.getAsLong() : null;
    }
}
