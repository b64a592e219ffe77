package dev.berth.port.event;

import java.util.Optional;
import java.util.SortedMap;

/** Reads the fields of a stored form; fields that no one asks for are ignored. */
record FieldReader(SortedMap<String, String> texts) {

    /**
     * @throws IllegalArgumentException the field is missing
     */
    <T> T get(StoredField<T> field) {
        return find(field)
                .orElseThrow(() -> new IllegalArgumentException("no field " + field.key()));
    }

    <T> Optional<T> find(StoredField<T> field) {
        return Optional.ofNullable(texts.get(field.key())).map(field.parse());
    }

    boolean has(StoredField<Boolean> mark) {
        return texts.containsKey(mark.key());
    }
}
