package dev.berth.server.config;

import dev.berth.wire.RuleEntry;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Keys that can be changed, for those who change them. */
final class RuleWords {

    private static final String USUAL = "usual";

    private RuleWords() {}

    static RuleEntry of(Key<?> key, Configuration config) {
        var entry = config.entry(key.name()).orElseThrow();
        var form = key.kind().form();
        return new RuleEntry(
                key.name(),
                entry.value(),
                entry.defaultValue(),
                entry.source().equals(Layers.USUAL) ? USUAL : entry.source(),
                form.name(),
                form.choices().isEmpty() ? null : form.choices(),
                number(form.least()),
                number(form.most()),
                key.about());
    }

    /** As a file would have them. */
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
