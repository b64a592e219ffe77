package dev.berth.core.queue;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The lanes that have waiting or running tasks. Only the first task of a lane can start, and only
 * while no other task of the lane runs.
 *
 * @param queued the waiting tasks of each lane, oldest first
 * @param runningByLane the running tasks of each lane; more than one only after a manual start
 * @param startable the lanes in which a task waits and none runs
 */
public record LaneQueues(
        PersistentMap<QueueId, PersistentMap<TaskId, Task>> queued,
        PersistentMap<QueueId, PersistentMap<TaskId, Task>> runningByLane,
        StartableLanes startable) {

    static final LaneQueues EMPTY =
            new LaneQueues(PersistentMap.empty(), PersistentMap.empty(), StartableLanes.NONE);

    public PersistentMap<TaskId, Task> queued(QueueId lane) {
        return queued.get(lane).orElse(PersistentMap.empty());
    }

    /** The task that has to end before the next one of this lane starts. */
    public Optional<Task> running(QueueId lane) {
        return runningByLane.get(lane).flatMap(PersistentMap::first).map(entry -> entry.getValue());
    }

    Stream<Task> allQueued() {
        return queued.values().flatMap(PersistentMap::values);
    }

    boolean isQueued(Task task) {
        return queued(QueueId.of(task)).contains(task.id());
    }

    LaneQueues withQueued(Task task, Function<Task, TaskGroup> groups) {
        return new LaneQueues(added(queued, task), runningByLane, startable)
                .withFirst(task, groups);
    }

    LaneQueues withRunning(Task task, Function<Task, TaskGroup> groups) {
        return new LaneQueues(queued, added(runningByLane, task), startable)
                .withFirst(task, groups);
    }

    LaneQueues without(Task task, Function<Task, TaskGroup> groups) {
        return new LaneQueues(removed(queued, task), removed(runningByLane, task), startable)
                .withFirst(task, groups);
    }

    /** After a change of the lane of this task. */
    private LaneQueues withFirst(Task changed, Function<Task, TaskGroup> groups) {
        var queue = QueueId.of(changed);
        var lane = changed.spec().options().lane().orElseThrow();
        var first =
                running(queue).isPresent()
                        ? Optional.<Task>empty()
                        : queued(queue).first().map(Map.Entry::getValue);
        return new LaneQueues(
                queued, runningByLane, startable.with(queue, lane, first, first.map(groups)));
    }

    private static PersistentMap<QueueId, PersistentMap<TaskId, Task>> added(
            PersistentMap<QueueId, PersistentMap<TaskId, Task>> lanes, Task task) {
        var lane = QueueId.of(task);
        var tasks = lanes.get(lane).orElse(PersistentMap.empty());
        return lanes.with(lane, tasks.with(task.id(), task));
    }

    private static PersistentMap<QueueId, PersistentMap<TaskId, Task>> removed(
            PersistentMap<QueueId, PersistentMap<TaskId, Task>> lanes, Task task) {
        var lane = QueueId.of(task);
        var left = lanes.get(lane).orElse(PersistentMap.empty()).without(task.id());
        return left.isEmpty() ? lanes.without(lane) : lanes.with(lane, left);
    }
}
