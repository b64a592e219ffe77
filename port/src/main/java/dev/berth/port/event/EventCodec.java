package dev.berth.port.event;

import java.time.DateTimeException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Converts payloads to their stored form and back: the word of the kind and a map of texts. The API
 * shows the same form.
 */
public final class EventCodec {

    private static final List<PayloadForm<?>> FORMS =
            Stream.of(
                            EventForms.ofServer(),
                            AccessForms.all(),
                            EventForms.ofTasks(),
                            EventForms.ofAttempts(),
                            EventForms.ofFileRuns(),
                            WorkerForms.all(),
                            AlertForms.ofNodes(),
                            AlertForms.ofNodeParts(),
                            AlertForms.ofTasks(),
                            LostAttemptForms.all(),
                            ReservationForms.all(),
                            AlertForms.ofGpus())
                    .flatMap(List::stream)
                    .toList();

    private static final Map<String, PayloadForm<?>> BY_KIND =
            FORMS.stream().collect(Collectors.toMap(PayloadForm::kind, Function.identity()));
    private static final Map<Class<?>, PayloadForm<?>> BY_TYPE =
            FORMS.stream().collect(Collectors.toMap(PayloadForm::type, Function.identity()));

    private EventCodec() {}

    /** All types of payloads that this version writes, in a fixed order. */
    public static List<Class<? extends EventPayload>> types() {
        return FORMS.stream().<Class<? extends EventPayload>>map(PayloadForm::type).toList();
    }

    /** The word of the kind. */
    public static String kindOf(Class<? extends EventPayload> type) {
        return form(type).kind();
    }

    /** The word of the kind. */
    public static String kindOf(EventPayload payload) {
        return payload instanceof UnknownPayload(String kind, _)
                ? kind
                : form(payload.getClass()).kind();
    }

    public static SortedMap<String, String> fieldsOf(EventPayload payload) {
        return payload instanceof UnknownPayload(_, var fields)
                ? fields
                : Collections.unmodifiableSortedMap(
                        form(payload.getClass()).write(payload).texts());
    }

    /** The same fields; numbers are numbers. */
    public static SortedMap<String, Object> valuesOf(EventPayload payload) {
        return Collections.unmodifiableSortedMap(
                payload instanceof UnknownPayload(_, var fields)
                        ? new TreeMap<String, Object>(fields)
                        : form(payload.getClass()).write(payload).values());
    }

    /** Never fails: what this version cannot read becomes an {@link UnknownPayload}. */
    public static EventPayload read(String kind, SortedMap<String, String> fields) {
        var form = BY_KIND.get(kind);
        if (form == null) {
            return new UnknownPayload(kind, fields);
        }
        try {
            return form.reader().apply(new FieldReader(fields));
        } catch (IllegalArgumentException | DateTimeException _) {
            return new UnknownPayload(kind, fields);
        }
    }

    private static PayloadForm<?> form(Class<?> type) {
        return Objects.requireNonNull(BY_TYPE.get(type), () -> "no stored form of " + type);
    }
}
