package dev.berth.engine;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A decision in the making: the state it leads to, what to keep and what to do. Dropped whole if
 * deciding fails.
 */
final class Draft {

    private final Instant at;
    private final List<Change> changes = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private State state;

    Draft(State from, Instant at) {
        this.state = from;
        this.at = at;
    }

    Instant at() {
        return at;
    }

    State state() {
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

    /** A change that a restart may forget. */
    void become(State other) {
        state = other;
    }

    void act(Effect effect) {
        effects.add(effect);
    }

    void happened(Event.Kind kind, Owner actor, TaskId task, Map<String, String> data) {
        happened(kind, actor, Optional.of(task), Optional.empty(), data);
    }

    void happened(Event.Kind kind, Owner actor, AttemptId attempt, Map<String, String> data) {
        happened(kind, actor, Optional.of(attempt.task()), Optional.of(attempt), data);
    }

    void happened(Event.Kind kind, Owner actor, Map<String, String> data) {
        happened(kind, actor, Optional.empty(), Optional.empty(), data);
    }

    void happened(Event.Kind kind, Map<String, String> data) {
        happened(kind, Owner.BERTH, Optional.empty(), Optional.empty(), data);
    }

    private void happened(
            Event.Kind kind,
            Owner actor,
            Optional<TaskId> task,
            Optional<AttemptId> attempt,
            Map<String, String> data) {
        long seq = state.marks().seq() + 1;
        save(
                new Change.Happened(
                        new Event(seq, at, actor, kind, task, attempt, new TreeMap<>(data))));
    }
}
