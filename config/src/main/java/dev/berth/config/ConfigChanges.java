package dev.berth.config;

import dev.berth.core.NearestName;
import dev.berth.core.Rejected;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Parses a requested change of keys. Each value is checked as if it were written in a file. */
final class ConfigChanges {

    private final List<ConfigKey<?>> allowedKeys;
    private final List<KeyFamily<?>> families;
    private final Map<ConfigKey<?>, RawValue> requested = new LinkedHashMap<>();

    /** All keys that a null for their group resets. */
    private final List<ConfigKey<?>> knownKeys;

    private ConfigChanges(
            List<ConfigKey<?>> known, List<KeyFamily<?>> families, List<ConfigKey<?>> set) {
        this.allowedKeys = known;
        this.families = families;
        this.knownKeys = Stream.concat(known.stream(), set.stream()).toList();
    }

    /**
     * @param body values by key name, which may be dotted; the keys of a group may also be in a
     *     nested map
     * @param set the keys of the families that are set now
     */
    static Map<ConfigKey<?>, RawValue> parse(
            Map<String, ?> body,
            List<ConfigKey<?>> known,
            List<KeyFamily<?>> families,
            List<ConfigKey<?>> set)
            throws ConfigChangeRejected {
        var changes = new ConfigChanges(known, families, set);
        for (var field : body.entrySet()) {
            changes.add(field.getKey(), field.getValue());
        }
        return changes.requested;
    }

    private void add(String name, @Nullable Object value) throws ConfigChangeRejected {
        var key =
                allowedKeys.stream()
                        .filter(candidate -> candidate.name().equals(name))
                        .findFirst()
                        .or(() -> familyKey(name, value));
        if (key.isPresent()) {
            addChange(key.get(), value);
            return;
        }
        var members =
                knownKeys.stream()
                        .filter(candidate -> candidate.name().startsWith(name + "."))
                        .toList();
        if (members.isEmpty() && !isFamilyGroup(name)) {
            throw new ConfigChangeRejected(
                    NearestName.rejectUnknown(
                            "field", name, allowedKeys.stream().map(ConfigKey::name).toList()));
        }
        if (value == null) {
            for (var member : members) {
                addChange(member, null);
            }
        } else if (value instanceof Map<?, ?> inner) {
            for (var field : inner.entrySet()) {
                add(name + "." + field.getKey(), field.getValue());
            }
        } else {
            throw new ConfigChangeRejected(Rejected.invalid("rule.invalid", name).variant("group"));
        }
    }

    /** A user may be called as a key: a map is never the value of one. */
    private Optional<ConfigKey<?>> familyKey(String name, @Nullable Object value) {
        if (value instanceof Map<?, ?>) {
            return Optional.empty();
        }
        for (var family : families) {
            var member = family.memberOf(name);
            if (member.isPresent()) {
                return Optional.of(family.keyOf(member.get()));
            }
        }
        return Optional.empty();
    }

    /** Whether this is a group of keys with user-defined names, or a part of it. */
    private boolean isFamilyGroup(String name) {
        return families.stream()
                .anyMatch(
                        family ->
                                (family.group() + ".").startsWith(name + ".")
                                        || family.contains(name));
    }

    private void addChange(ConfigKey<?> key, @Nullable Object value) throws ConfigChangeRejected {
        var written = toRawValue(value);
        if (written.isEmpty()
                || !(written.get() instanceof RawValue.NullValue
                        || key.type().parse(written.get()).isPresent())) {
            throw invalidValue(key, written);
        }
        if (requested.put(key, written.get()) != null) {
            throw new ConfigChangeRejected(Rejected.invalid("rule.twice", key.name()));
        }
    }

    private static ConfigChangeRejected invalidValue(ConfigKey<?> key, Optional<RawValue> value) {
        var kind = key.type();
        var why =
                Rejected.invalid("rule.invalid", key.name())
                        .with("given", value.map(RawValue::shortText).orElse(""))
                        .with("key", key.name())
                        .with("expected", kind.description());
        if (kind.inputForm().min().isPresent()) {
            why =
                    why.with("least", kind.inputForm().min().getAsLong())
                            .with("most", kind.inputForm().max().orElseThrow());
        }
        return new ConfigChangeRejected(why);
    }

    /** Empty if no configuration file could hold the value. */
    private static Optional<RawValue> toRawValue(@Nullable Object value) {
        if (value == null) {
            return Optional.of(new RawValue.NullValue());
        }
        if (value instanceof Map<?, ?>) {
            return Optional.of(new RawValue.Mapping());
        }
        if (!(value instanceof List<?> list)) {
            return Optional.of(scalar(value));
        }
        var items = new ArrayList<RawValue.Scalar>();
        for (var item : list) {
            if (item == null || item instanceof List<?> || item instanceof Map<?, ?>) {
                return Optional.empty();
            }
            items.add(scalar(item));
        }
        return Optional.of(new RawValue.ScalarList(items));
    }

    private static RawValue.Scalar scalar(Object value) {
        return new RawValue.Scalar(value.toString(), !(value instanceof String));
    }
}
