package dev.berth.server.lane;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What others wrote into the file while Berth was replacing it. It is written again; and for a
 * while after that it is looked for, because somebody may have read the file in the moment in which
 * it was missing, and may write it back without.
 */
final class ProcessFileEdits {

    /** Longer than any script takes from reading the file to replacing it. */
    private static final long KEPT_NANOS = Duration.ofSeconds(5).toNanos();

    private final List<Kept> kept = new ArrayList<>();

    /**
     * @param field of the record; null where it is about the record as a whole
     * @param before null where there was nothing
     * @param after null where it was taken away
     */
    private record Edit(
            String uniId,
            @Nullable String field,
            @Nullable JsonNode before,
            @Nullable JsonNode after) {

        boolean isUndoneBy(Edit other) {
            return uniId.equals(other.uniId)
                    && Objects.equals(field, other.field)
                    && Objects.equals(before, other.after)
                    && Objects.equals(after, other.before);
        }
    }

    private record Kept(Edit edit, long until) {}

    boolean isEmpty(long now) {
        kept.removeIf(one -> one.until - now < 0);
        return kept.isEmpty();
    }

    /** What somebody made of {@code before}. */
    void add(ObjectNode before, ObjectNode after, long now) {
        for (var edit : between(before, after)) {
            // Who takes back what was missing for a moment had not seen it.
            if (kept.stream().noneMatch(one -> one.edit.isUndoneBy(edit))) {
                kept.add(new Kept(edit, now + KEPT_NANOS));
            }
        }
    }

    private static List<Edit> between(ObjectNode before, ObjectNode after) {
        var edits = new ArrayList<Edit>();
        for (var uniId : names(before, after)) {
            var old = before.get(uniId);
            var young = after.get(uniId);
            if (old instanceof ObjectNode from && young instanceof ObjectNode to) {
                for (var field : names(from, to)) {
                    if (!Objects.equals(from.get(field), to.get(field))) {
                        edits.add(new Edit(uniId, field, from.get(field), to.get(field)));
                    }
                }
            } else if (!Objects.equals(old, young)) {
                edits.add(new Edit(uniId, null, old, young));
            }
        }
        return edits;
    }

    private static Set<String> names(ObjectNode one, ObjectNode other) {
        var names = new TreeSet<String>(one.propertyNames());
        names.addAll(other.propertyNames());
        return names;
    }

    /** Where the tree still, or again, has what was there before. */
    void apply(ObjectNode tree, long now) {
        if (isEmpty(now)) {
            return;
        }
        kept.forEach(one -> apply(tree, one.edit));
    }

    private static void apply(ObjectNode tree, Edit edit) {
        var record = tree.get(edit.uniId);
        if (edit.field == null) {
            if (Objects.equals(record, edit.before)) {
                set(tree, edit.uniId, edit.after);
            } else if (edit.before == null) {
                fill(record, edit.after);
            }
        } else if (record instanceof ObjectNode object
                && Objects.equals(object.get(edit.field), edit.before)) {
            set(object, edit.field, edit.after);
        }
    }

    /** Who wrote this has seen what it has in it; what they make of that is their own will. */
    void confirm(ObjectNode others) {
        kept.removeIf(one -> Objects.equals(now(others, one.edit), one.edit.after));
    }

    private static @Nullable JsonNode now(ObjectNode tree, Edit edit) {
        var record = tree.get(edit.uniId);
        return edit.field == null || record == null ? record : record.get(edit.field);
    }

    /** Two made the same record at the same time: what only one of them knows is kept. */
    private static void fill(@Nullable JsonNode record, @Nullable JsonNode other) {
        if (record instanceof ObjectNode into && other instanceof ObjectNode from) {
            for (var field : from.properties()) {
                if (!into.has(field.getKey())) {
                    into.set(field.getKey(), field.getValue().deepCopy());
                }
            }
        }
    }

    private static void set(ObjectNode object, String name, @Nullable JsonNode value) {
        if (value == null) {
            object.remove(name);
        } else {
            object.set(name, value.deepCopy());
        }
    }
}
