package dev.berth.server.config;

import dev.berth.core.Rejected;
import dev.berth.server.http.Nearest;
import dev.berth.server.http.Refused;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What somebody wants otherwise, each value checked as if it stood in a file. */
final class Changes {

    private final List<Key<?>> known;
    private final Map<Key<?>, Written> wanted = new LinkedHashMap<>();

    private Changes(List<Key<?>> known) {
        this.known = known;
    }

    /**
     * @param body by name, which may be dotted; the keys of a group may stand in a map of their own
     */
    static Map<Key<?>, Written> of(Map<String, ?> body, List<Key<?>> known) throws Refused {
        var changes = new Changes(known);
        for (var field : body.entrySet()) {
            changes.take(field.getKey(), field.getValue());
        }
        return changes.wanted;
    }

    private void take(String name, @Nullable Object value) throws Refused {
        var key = known.stream().filter(one -> one.name().equals(name)).findFirst();
        if (key.isPresent()) {
            want(key.get(), value);
            return;
        }
        var members = known.stream().filter(one -> one.name().startsWith(name + ".")).toList();
        if (members.isEmpty()) {
            throw new Refused(
                    Nearest.unknown("field", name, known.stream().map(Key::name).toList()));
        }
        if (value == null) {
            for (var member : members) {
                want(member, null);
            }
        } else if (value instanceof Map<?, ?> inner) {
            for (var field : inner.entrySet()) {
                take(name + "." + field.getKey(), field.getValue());
            }
        } else {
            throw Refused.invalid("rule.invalid", name, name + " is a group of keys.");
        }
    }

    private void want(Key<?> key, @Nullable Object value) throws Refused {
        var written = written(value);
        if (written.isEmpty()
                || !(written.get() instanceof Written.Nothing
                        || key.kind().read(written.get()).isPresent())) {
            throw refused(key, written);
        }
        if (wanted.put(key, written.get()) != null) {
            throw Refused.invalid("rule.twice", key.name(), key.name() + " is given twice.");
        }
    }

    private static Refused refused(Key<?> key, Optional<Written> value) {
        var kind = key.kind();
        var why =
                Rejected.invalid(
                                "rule.invalid",
                                key.name(),
                                key.name()
                                        + " is "
                                        + kind.words()
                                        + ", not "
                                        + value.map(Written::shown).orElse("what was sent")
                                        + ".")
                        .with("key", key.name())
                        .with("expected", kind.words());
        if (kind.form().least().isPresent()) {
            why =
                    why.with("least", kind.form().least().getAsLong())
                            .with("most", kind.form().most().orElseThrow());
        }
        return new Refused(why);
    }

    /** Nothing where no file could hold it. */
    private static Optional<Written> written(@Nullable Object value) {
        if (value == null) {
            return Optional.of(new Written.Nothing());
        }
        if (value instanceof Map<?, ?>) {
            return Optional.of(new Written.Mapping());
        }
        if (!(value instanceof List<?> list)) {
            return Optional.of(scalar(value));
        }
        var items = new ArrayList<Written.Scalar>();
        for (var item : list) {
            if (item == null || item instanceof List<?> || item instanceof Map<?, ?>) {
                return Optional.empty();
            }
            items.add(scalar(item));
        }
        return Optional.of(new Written.Items(items));
    }

    private static Written.Scalar scalar(Object value) {
        return new Written.Scalar(value.toString(), !(value instanceof String));
    }
}
