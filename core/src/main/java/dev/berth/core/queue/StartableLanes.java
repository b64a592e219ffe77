package dev.berth.core.queue;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.Task;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * The first waiting tasks of the lanes in which no task runs. A command file may have ten thousand
 * lanes, of which one starts in a pass: they are kept, so that a pass does not look at every lane.
 *
 * @param groups the group of the first task of each lane
 * @param named the first tasks of named lanes
 * @param ofRuns those of each file run, by their group and the number of the lane
 */
record StartableLanes(
        PersistentMap<QueueId, TaskGroup> groups,
        PersistentMap<QueueId, Task> named,
        PersistentMap<Long, PersistentMap<TaskGroup, PersistentMap<Integer, Task>>> ofRuns) {

    static final StartableLanes NONE =
            new StartableLanes(PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty());

    /**
     * @param first its task that may start now; empty if a task of the lane runs or none waits
     * @param group of that task
     */
    StartableLanes with(QueueId queue, Lane lane, Optional<Task> first, Optional<TaskGroup> group) {
        var others = groups.get(queue).map(known -> without(queue, lane, known)).orElse(this);
        return first.isPresent()
                ? others.with(queue, lane, first.get(), group.orElseThrow())
                : others;
    }

    private StartableLanes with(QueueId queue, Lane lane, Task first, TaskGroup group) {
        var known = groups.with(queue, group);
        return switch (lane) {
            case Lane.Named _ -> new StartableLanes(known, named.with(queue, first), ofRuns);
            case Lane.OfFileRun of -> {
                var tasks = lanes(of.run(), group).with(of.queue(), first);
                var run = run(of.run()).with(group, tasks);
                yield new StartableLanes(known, named, ofRuns.with(of.run(), run));
            }
        };
    }

    /**
     * @param group that of the task when it was added: another order may give it another one now
     */
    private StartableLanes without(QueueId queue, Lane lane, TaskGroup group) {
        var known = groups.without(queue);
        return switch (lane) {
            case Lane.Named _ -> new StartableLanes(known, named.without(queue), ofRuns);
            case Lane.OfFileRun of -> {
                var tasks = lanes(of.run(), group).without(of.queue());
                var run =
                        tasks.isEmpty()
                                ? run(of.run()).without(group)
                                : run(of.run()).with(group, tasks);
                var runs = run.isEmpty() ? ofRuns.without(of.run()) : ofRuns.with(of.run(), run);
                yield new StartableLanes(known, named, runs);
            }
        };
    }

    private PersistentMap<TaskGroup, PersistentMap<Integer, Task>> run(long run) {
        return ofRuns.get(run).orElse(PersistentMap.empty());
    }

    private PersistentMap<Integer, Task> lanes(long run, TaskGroup group) {
        return run(run).get(group).orElse(PersistentMap.empty());
    }

    Stream<Task> tasks() {
        return Stream.concat(
                named.values(),
                ofRuns.values().flatMap(PersistentMap::values).flatMap(PersistentMap::values));
    }
}
