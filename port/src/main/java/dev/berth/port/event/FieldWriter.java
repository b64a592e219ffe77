package dev.berth.port.event;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Collects the fields of a stored form. */
final class FieldWriter {

    private final SortedMap<String, String> texts = new TreeMap<>();
    private final SortedMap<String, Object> values = new TreeMap<>();

    <T> FieldWriter put(StoredField<T> field, T value) {
        var text = field.format().apply(value);
        texts.put(field.key(), text);
        values.put(field.key(), field.isNumber() ? Long.valueOf(text) : text);
        return this;
    }

    <T> FieldWriter putIfPresent(StoredField<T> field, Optional<T> value) {
        value.ifPresent(present -> put(field, present));
        return this;
    }

    FieldWriter putIf(StoredField<Boolean> mark, boolean isTrue) {
        return isTrue ? put(mark, true) : this;
    }

    SortedMap<String, String> texts() {
        return texts;
    }

    /** The same fields; numbers are numbers. */
    SortedMap<String, Object> values() {
        return values;
    }
}
