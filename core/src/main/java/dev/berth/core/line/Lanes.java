package dev.berth.core.line;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * The lanes that somebody waits or runs in. Only the first of a lane can start, and only while none
 * of it runs.
 *
 * @param queued the waiting tasks of each lane, oldest first
 * @param busy the tasks of each lane that run; more than one only by a person's word
 */
public record Lanes(
        PersistentMap<LineId, PersistentMap<TaskId, Task>> queued,
        PersistentMap<LineId, PersistentMap<TaskId, Task>> busy) {

    static final Lanes NONE = new Lanes(PersistentMap.empty(), PersistentMap.empty());

    /** The waiting tasks of one lane. */
    public PersistentMap<TaskId, Task> queued(LineId lane) {
        return queued.get(lane).orElse(PersistentMap.empty());
    }

    /** Who has to end before the next one of this lane starts. */
    public Optional<Task> running(LineId lane) {
        return busy.get(lane).flatMap(PersistentMap::first).map(entry -> entry.getValue());
    }

    Stream<Task> everybody() {
        return queued.values().flatMap(PersistentMap::values);
    }

    boolean isQueued(Task task) {
        return queued(LineId.of(task)).contains(task.id());
    }

    Lanes waiting(Task task) {
        return new Lanes(added(queued, task), busy);
    }

    Lanes running(Task task) {
        return new Lanes(queued, added(busy, task));
    }

    Lanes without(Task task) {
        return new Lanes(removed(queued, task), removed(busy, task));
    }

    private static PersistentMap<LineId, PersistentMap<TaskId, Task>> added(
            PersistentMap<LineId, PersistentMap<TaskId, Task>> lanes, Task task) {
        var lane = LineId.of(task);
        var there = lanes.get(lane).orElse(PersistentMap.empty());
        return lanes.with(lane, there.with(task.id(), task));
    }

    private static PersistentMap<LineId, PersistentMap<TaskId, Task>> removed(
            PersistentMap<LineId, PersistentMap<TaskId, Task>> lanes, Task task) {
        var lane = LineId.of(task);
        var left = lanes.get(lane).orElse(PersistentMap.empty()).without(task.id());
        return left.isEmpty() ? lanes.without(lane) : lanes.with(lane, left);
    }
}
