package dev.berth.engine;

import dev.berth.core.access.Via;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.event.EventPayload;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A decision in the making: the resulting state, the changes to commit and the effects. Dropped as
 * a whole if deciding fails.
 */
final class Decision {

    private final EngineState from;
    private final Instant at;
    private final Optional<Via> via;
    private final List<Change> changes = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private EngineState state;

    /** A decision that no request caused. */
    Decision(EngineState from, Instant at) {
        this(from, at, Optional.empty());
    }

    /**
     * @param via how the caller of the request was authenticated
     */
    Decision(EngineState from, Instant at, Optional<Via> via) {
        this.from = from;
        this.state = from;
        this.at = at;
        this.via = via;
    }

    Instant at() {
        return at;
    }

    EngineState state() {
        return state;
    }

    List<Change> changes() {
        return changes;
    }

    List<Effect> effects() {
        return effects;
    }

    void save(Change change) {
        changes.add(change);
        state = state.apply(change);
    }

    void save(Task task) {
        save(new Change.TaskSaved(task));
    }

    void save(Attempt attempt) {
        save(new Change.AttemptSaved(attempt));
    }

    /** Changes only what a restart may forget. */
    void setState(EngineState other) {
        state = other;
    }

    void addEffect(Effect effect) {
        effects.add(effect);
    }

    void addEvent(Owner actor, TaskId task, EventPayload payload) {
        addEvent(actor, ownerOf(task), Optional.of(task), Optional.empty(), payload);
    }

    void addEvent(Owner actor, AttemptId attempt, EventPayload payload) {
        var task = attempt.task();
        addEvent(actor, ownerOf(task), Optional.of(task), Optional.of(attempt), payload);
    }

    /**
     * An event about something that belongs to a user and is not a task.
     *
     * @param owner of what the event is about
     */
    void addEvent(Owner actor, Owner owner, EventPayload payload) {
        addEvent(actor, Optional.of(owner), Optional.empty(), Optional.empty(), payload);
    }

    /** An event about an ended task, which the state does not hold. */
    void addEvent(Owner actor, EngineCommand.OwnedTask task, EventPayload payload) {
        addEvent(
                actor,
                Optional.of(task.owner()),
                Optional.of(task.id()),
                Optional.empty(),
                payload);
    }

    void addEvent(Owner actor, EventPayload payload) {
        addEvent(actor, Optional.empty(), Optional.empty(), Optional.empty(), payload);
    }

    void addEvent(EventPayload payload) {
        addEvent(Owner.BERTH, payload);
    }

    /** A task that this decision has ended is no longer in the state. */
    private Optional<Owner> ownerOf(TaskId task) {
        return state.tasks().get(task).or(() -> from.tasks().get(task)).map(Task::owner);
    }

    private void addEvent(
            Owner actor,
            Optional<Owner> owner,
            Optional<TaskId> task,
            Optional<AttemptId> attempt,
            EventPayload payload) {
        long seq = state.lastIds().seq() + 1;
        var way = actor.equals(Owner.BERTH) ? Optional.<Via>empty() : via;
        save(new Change.EventAdded(new Event(seq, at, actor, way, owner, task, attempt, payload)));
    }
}
