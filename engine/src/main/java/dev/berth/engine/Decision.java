package dev.berth.engine;

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

    private final Instant at;
    private final List<Change> changes = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private EngineState state;

    Decision(EngineState from, Instant at) {
        this.state = from;
        this.at = at;
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
        addEvent(actor, Optional.of(task), Optional.empty(), payload);
    }

    void addEvent(Owner actor, AttemptId attempt, EventPayload payload) {
        addEvent(actor, Optional.of(attempt.task()), Optional.of(attempt), payload);
    }

    void addEvent(Owner actor, EventPayload payload) {
        addEvent(actor, Optional.empty(), Optional.empty(), payload);
    }

    void addEvent(EventPayload payload) {
        addEvent(Owner.BERTH, payload);
    }

    private void addEvent(
            Owner actor, Optional<TaskId> task, Optional<AttemptId> attempt, EventPayload payload) {
        long seq = state.lastIds().seq() + 1;
        save(new Change.EventAdded(new Event(seq, at, actor, task, attempt, payload)));
    }
}
