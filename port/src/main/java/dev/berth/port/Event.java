package dev.berth.port;

import dev.berth.core.access.Via;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.EventPayload;

import java.time.Instant;
import java.util.Optional;

/**
 * An event for the audit, the history and the event stream.
 *
 * @param seq increases by one with each event of a home
 * @param via how the actor was authenticated; empty for what Berth itself did, and in events of
 *     earlier versions
 * @param owner the owner of what the event is about, such as its task; empty if that belongs to
 *     nobody, and in events of earlier versions
 * @param payload what happened
 */
public record Event(
        long seq,
        Instant at,
        Owner actor,
        Optional<Via> via,
        Optional<Owner> owner,
        Optional<TaskId> task,
        Optional<AttemptId> attempt,
        EventPayload payload) {

    /** Without a way of authentication and without an owner. */
    public Event(
            long seq,
            Instant at,
            Owner actor,
            Optional<TaskId> task,
            Optional<AttemptId> attempt,
            EventPayload payload) {
        this(seq, at, actor, Optional.empty(), Optional.empty(), task, attempt, payload);
    }

    /** The word of its kind in the store and in the API. */
    public String kind() {
        return EventCodec.kindOf(payload);
    }

    /** True if a person should be notified. */
    public boolean isAlert() {
        return payload.isAlert();
    }
}
