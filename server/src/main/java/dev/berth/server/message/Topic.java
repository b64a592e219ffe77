package dev.berth.server.message;

import dev.berth.engine.port.Event;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a receiver may hear of. */
public enum Topic {
    /** Of every kind. */
    ALERT,
    TASK_COMPLETED,
    TASK_FAILED,
    TASK_CANCELLED,
    TASK_RETRIED,
    LONG_WAIT,
    STALLED;

    private static final Map<Event.Kind, Topic> OWN =
            Map.of(
                    Event.Kind.TASK_COMPLETED, TASK_COMPLETED,
                    Event.Kind.TASK_FAILED, TASK_FAILED,
                    Event.Kind.TASK_CANCELLED, TASK_CANCELLED,
                    Event.Kind.TASK_RETRIED, TASK_RETRIED,
                    Event.Kind.ALERT_LONG_WAIT, LONG_WAIT,
                    Event.Kind.ALERT_STALLED, STALLED);

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Topic of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** The topic that is about this alone. */
    static Optional<Topic> of(Event.Kind kind) {
        return Optional.ofNullable(OWN.get(kind));
    }
}
