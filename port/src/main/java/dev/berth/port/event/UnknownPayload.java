package dev.berth.port.event;

import dev.berth.core.AlertLevel;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A payload that this version cannot read: a newer version wrote it. It is shown as it was stored.
 */
public record UnknownPayload(String kind, SortedMap<String, String> fields)
        implements EventPayload {

    public UnknownPayload {
        fields = Collections.unmodifiableSortedMap(new TreeMap<>(fields));
    }

    /** Its level is unknown, so a person should look. */
    @Override
    public Optional<AlertLevel> level() {
        return kind.startsWith(AlertPayload.PREFIX)
                ? Optional.of(AlertLevel.WARNING)
                : Optional.empty();
    }
}
