package dev.berth.runs;

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
 * Changes of scripts that Berth's version has overwritten. They are written again, and checked for
 * some time afterwards: another script may have read the file while they were missing, and may
 * write it back without them.
 */
final class ScriptEdits {

    /** Longer than a script takes between reading and replacing the file. */
    private static final long KEPT_NANOS = Duration.ofSeconds(5).toNanos();

    private final List<Kept> kept = new ArrayList<>();

    /**
     * @param field of the record; null for the record as a whole
     * @param before null if it was missing
     * @param after null if it was removed
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
        this.kept.removeIf(kept -> kept.until - now < 0);
        return this.kept.isEmpty();
    }

    /** Records the changes from {@code before} to {@code after}. */
    void add(ObjectNode before, ObjectNode after, long now) {
        for (var edit : between(before, after)) {
            // Undoing a change that was missing for a moment is not intended: that script had not
            // seen it.
            if (this.kept.stream().noneMatch(kept -> kept.edit.isUndoneBy(edit))) {
                this.kept.add(new Kept(edit, now + KEPT_NANOS));
            }
        }
    }

    private static List<Edit> between(ObjectNode before, ObjectNode after) {
        var edits = new ArrayList<Edit>();
        for (var uniId : names(before, after)) {
            var old = before.get(uniId);
            var newer = after.get(uniId);
            if (old instanceof ObjectNode from && newer instanceof ObjectNode to) {
                for (var field : names(from, to)) {
                    if (!Objects.equals(from.get(field), to.get(field))) {
                        edits.add(new Edit(uniId, field, from.get(field), to.get(field)));
                    }
                }
            } else if (!Objects.equals(old, newer)) {
                edits.add(new Edit(uniId, null, old, newer));
            }
        }
        return edits;
    }

    private static Set<String> names(ObjectNode first, ObjectNode second) {
        var names = new TreeSet<String>(first.propertyNames());
        names.addAll(second.propertyNames());
        return names;
    }

    /** Applies a change if the tree has its value from before the change. */
    void apply(ObjectNode tree, long now) {
        if (isEmpty(now)) {
            return;
        }
        this.kept.forEach(kept -> apply(tree, kept.edit));
    }

    private static void apply(ObjectNode tree, Edit edit) {
        var record = tree.get(edit.uniId);
        if (edit.field == null) {
            if (Objects.equals(record, edit.before)) {
                set(tree, edit.uniId, edit.after);
            } else if (edit.before == null) {
                addMissingFields(record, edit.after);
            }
        } else if (record instanceof ObjectNode object
                && Objects.equals(object.get(edit.field), edit.before)) {
            set(object, edit.field, edit.after);
        }
    }

    /** Drops changes that a script has seen; its later changes are intended. */
    void confirm(ObjectNode others) {
        this.kept.removeIf(
                kept -> Objects.equals(currentValue(others, kept.edit), kept.edit.after));
    }

    private static @Nullable JsonNode currentValue(ObjectNode tree, Edit edit) {
        var record = tree.get(edit.uniId);
        return edit.field == null || record == null ? record : record.get(edit.field);
    }

    /** Two programs created the same record at the same time: fields of both are kept. */
    private static void addMissingFields(@Nullable JsonNode record, @Nullable JsonNode other) {
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
