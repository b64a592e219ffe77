package dev.berth.port.event;

import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The stored form of one type of payload.
 *
 * @param kind the word in the store and in the API; it never changes
 */
record PayloadForm<T extends EventPayload>(
        String kind,
        Class<T> type,
        Function<FieldReader, T> reader,
        BiConsumer<T, FieldWriter> writer) {

    /** A payload without fields. */
    static <T extends EventPayload> PayloadForm<T> empty(String kind, T value, Class<T> type) {
        return new PayloadForm<>(kind, type, _ -> value, (_, _) -> {});
    }

    FieldWriter write(EventPayload payload) {
        var fields = new FieldWriter();
        writer.accept(type.cast(payload), fields);
        return fields;
    }
}
