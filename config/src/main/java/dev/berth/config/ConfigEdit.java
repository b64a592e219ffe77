package dev.berth.config;

import dev.berth.core.access.Actor;
import dev.berth.wire.RuleEntry;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * What a request changed in the configuration, and who sent it.
 *
 * @param changes keys whose value is another one now
 */
public record ConfigEdit(Actor actor, List<KeyChange> changes) {

    public ConfigEdit {
        changes = List.copyOf(changes);
    }

    /** The value of a key before and after. */
    public record KeyChange(String key, String from, String to) {

        private static final int MAX_LENGTH = 500;

        /** Those of these keys that have another value now. */
        static List<KeyChange> of(
                Set<ConfigKey<?>> keys,
                Function<ConfigKey<?>, RuleEntry> before,
                Function<ConfigKey<?>, RuleEntry> after) {
            return keys.stream()
                    .map(
                            key ->
                                    new KeyChange(
                                            key.name(),
                                            text(before.apply(key)),
                                            text(after.apply(key))))
                    .filter(change -> !change.from().equals(change.to()))
                    .toList();
        }

        private static String text(RuleEntry entry) {
            var value = entry.value();
            var text = value == null ? "" : value.toString();
            return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
        }
    }

    ConfigEdit with(List<KeyChange> more) {
        var all = new ArrayList<>(changes);
        all.addAll(more);
        return new ConfigEdit(actor, all);
    }

    /** Berth takes the change back. */
    ConfigEdit reverted() {
        return new ConfigEdit(
                Actor.BERTH,
                changes.stream()
                        .map(one -> new KeyChange(one.key(), one.to(), one.from()))
                        .toList());
    }
}
