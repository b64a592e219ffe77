package dev.berth.port.event;

import dev.berth.core.AlertLevel;

import java.util.Optional;

/** What an event reports, with the fields of its own kind. */
public sealed interface EventPayload
        permits TaskPayload,
                AttemptPayload,
                FileRunPayload,
                ServerPayload,
                AccessPayload,
                ReservationPayload,
                WorkerPayload,
                AlertPayload,
                UnknownPayload {

    /** The level of an alert; empty for any other event. */
    default Optional<AlertLevel> level() {
        return Optional.empty();
    }

    /** True if a person should be notified. */
    default boolean isAlert() {
        return level().isPresent();
    }

    /** True if a person should act. */
    default boolean isWarning() {
        return level().filter(level -> level.isAtLeast(AlertLevel.WARNING)).isPresent();
    }
}
