package dev.berth.core.queue;

import dev.berth.core.collect.KeyCounts;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * All waiting tasks, each in a group of its queue or in its lane.
 *
 * @param queues the groups of each queue, and in each group the tasks by rank
 * @param lanes tasks in lanes, waiting or running
 * @param delayed tasks that are delayed, ordered by the end of the delay; they are in no queue, but
 *     stay in their lane
 * @param countsByPrincipal number of waiting tasks of each principal
 * @param waitStarts when the wait of each task that is not delayed began
 */
public record WaitingTasks(
        QueueOrder order,
        PersistentMap<QueueId, PersistentMap<TaskGroup, PersistentMap<Rank, Task>>> queues,
        LaneQueues lanes,
        PersistentMap<Delay, Task> delayed,
        KeyCounts countsByPrincipal,
        WaitStarts waitStarts) {

    public static WaitingTasks none(QueueOrder order) {
        return new WaitingTasks(
                order,
                PersistentMap.empty(),
                LaneQueues.EMPTY,
                PersistentMap.empty(),
                KeyCounts.EMPTY,
                WaitStarts.NONE);
    }

    /** Until when a task is delayed. */
    public record Delay(Instant until, TaskId task) implements Comparable<Delay> {

        static Optional<Delay> of(Task task) {
            return task.notBefore().map(until -> new Delay(until, task.id()));
        }

        @Override
        public int compareTo(Delay other) {
            int byTime = until.compareTo(other.until);
            return byTime != 0 ? byTime : task.compareTo(other.task);
        }
    }

    public TaskGroup group(Task task) {
        return TaskGroup.of(task, order, order.limitsPassing() && waitStarts.isOverdue(task));
    }

    public PersistentMap<TaskGroup, PersistentMap<Rank, Task>> queue(QueueId id) {
        return queues.get(id).orElse(PersistentMap.empty());
    }

    /** With other predictions of run times, on which the order may depend. */
    @SuppressWarnings("ReferenceEquality") // an order that does not depend on them returns itself
    public WaitingTasks with(RunTimes runTimes) {
        var other = order.with(runTimes);
        return other == order ? this : withOrder(other);
    }

    /** With other weights of users and groups. */
    public WaitingTasks with(UserWeights weights) {
        return withOrder(order.with(weights));
    }

    /** With other groups of users. */
    public WaitingTasks with(UserGroups groups) {
        return withOrder(order.with(groups));
    }

    private WaitingTasks withOrder(QueueOrder other) {
        return new WaitingTasks(other, queues, lanes, delayed, countsByPrincipal, waitStarts);
    }

    /** With one more waiting task; a delayed one enters its queue when the delay is over. */
    public WaitingTasks with(Task task) {
        var stillDelayed = Delay.of(task).map(delay -> delayed.with(delay, task)).orElse(delayed);
        var starts = task.notBefore().isPresent() ? waitStarts : waitStarts.with(task);
        if (task.spec().options().lane().isPresent()) {
            var all = counted(task, lanes.isQueued(task));
            return new WaitingTasks(
                    order, queues, lanes.withQueued(task, this::group), stillDelayed, all, starts);
        }
        if (task.notBefore().isPresent()) {
            return new WaitingTasks(
                    order, queues, lanes, stillDelayed, counted(task, isDelayed(task)), starts);
        }
        var group = group(task);
        var tasks = tasks(group);
        var rank = Rank.byAge(task);
        return new WaitingTasks(
                order,
                withGroup(group, tasks.with(rank, task)),
                lanes,
                stillDelayed,
                counted(task, tasks.contains(rank)),
                starts);
    }

    private KeyCounts counted(Task task, boolean isCounted) {
        return isCounted ? countsByPrincipal : countsByPrincipal.plus(task.owner().principal());
    }

    private PersistentMap<QueueId, PersistentMap<TaskGroup, PersistentMap<Rank, Task>>> withGroup(
            TaskGroup group, PersistentMap<Rank, Task> tasks) {
        var queue = queue(group.queue());
        var groups = tasks.isEmpty() ? queue.without(group) : queue.with(group, tasks);
        return groups.isEmpty()
                ? queues.without(group.queue())
                : queues.with(group.queue(), groups);
    }

    /** A running task blocks its lane. */
    public WaitingTasks withRunning(Task task) {
        return task.spec().options().lane().isEmpty()
                ? this
                : new WaitingTasks(
                        order,
                        queues,
                        lanes.withRunning(task, this::group),
                        delayed,
                        countsByPrincipal,
                        waitStarts);
    }

    /** The queues at a later time: delays are over, and tasks are overdue. */
    public WaitingTasks at(Instant now) {
        var released = releaseDelayed(now);
        return order.limitsPassing()
                ? released.withOverdue(now.minus(QueueOrder.MAX_PASSED))
                : released;
    }

    private WaitingTasks withOverdue(Instant until) {
        var overdue = waitStarts.overdue(until);
        if (overdue.isEmpty()) {
            return this;
        }
        var after = this;
        for (var task : overdue) {
            after = after.without(task);
        }
        after =
                new WaitingTasks(
                        order,
                        after.queues,
                        after.lanes,
                        delayed,
                        after.countsByPrincipal,
                        after.waitStarts.withOverdueUntil(until));
        for (var task : overdue) {
            after = after.with(task);
        }
        return after;
    }

    /** Moves the tasks whose delay is over into their queues. */
    private WaitingTasks releaseDelayed(Instant now) {
        var released = this;
        for (var first = delayed.first();
                first.isPresent() && !first.get().getKey().until().isAfter(now);
                first = released.delayed.first()) {
            released = released.released(first.get().getKey(), first.get().getValue());
        }
        return released;
    }

    private WaitingTasks released(Delay delay, Task task) {
        var others = delayed.without(delay);
        var starts = waitStarts.with(task);
        if (task.spec().options().lane().isPresent()) {
            return new WaitingTasks(order, queues, lanes, others, countsByPrincipal, starts);
        }
        var group = group(task);
        var updatedQueues = withGroup(group, tasks(group).with(Rank.byAge(task), task));
        return new WaitingTasks(order, updatedQueues, lanes, others, countsByPrincipal, starts);
    }

    public WaitingTasks without(Task task) {
        var stillDelayed = Delay.of(task).map(delayed::without).orElse(delayed);
        var starts = waitStarts.without(task);
        if (task.spec().options().lane().isPresent()) {
            var all = uncounted(task, lanes.isQueued(task));
            var others = lanes.without(task, this::group);
            return new WaitingTasks(order, queues, others, stillDelayed, all, starts);
        }
        if (isDelayed(task)) {
            return new WaitingTasks(
                    order, queues, lanes, stillDelayed, uncounted(task, true), starts);
        }
        var group = group(task);
        var tasks = tasks(group);
        var rank = Rank.byAge(task);
        return tasks.contains(rank)
                ? new WaitingTasks(
                        order,
                        withGroup(group, tasks.without(rank)),
                        lanes,
                        stillDelayed,
                        uncounted(task, true),
                        starts)
                : this;
    }

    private KeyCounts uncounted(Task task, boolean wasCounted) {
        return wasCounted ? countsByPrincipal.minus(task.owner().principal()) : countsByPrincipal;
    }

    /** A waiting task with the same owner and needs, if there is one. */
    public Optional<Task> similarTo(Task task) {
        return task.spec().options().lane().isPresent()
                ? lanes.queued(QueueId.of(task)).first().map(Map.Entry::getValue)
                : tasks(group(task)).first().map(Map.Entry::getValue);
    }

    public boolean isDelayed(Task task) {
        return Delay.of(task).filter(delayed::contains).isPresent();
    }

    private PersistentMap<Rank, Task> tasks(TaskGroup group) {
        return queue(group.queue()).get(group).orElse(PersistentMap.empty());
    }

    /** In unspecified order. */
    public Stream<Task> all() {
        return Stream.of(inQueues(), lanes.allQueued(), delayedWithoutLane())
                .flatMap(Function.identity());
    }

    private Stream<Task> inQueues() {
        return queues.values().flatMap(PersistentMap::values).flatMap(PersistentMap::values);
    }

    private Stream<Task> delayedWithoutLane() {
        return delayed.values().filter(task -> task.spec().options().lane().isEmpty());
    }

    /** No task waits in a queue or lane; delayed ones may. */
    public boolean isNoneQueued() {
        return queues.isEmpty() && lanes.queued().isEmpty();
    }

    public int size() {
        return countsByPrincipal.total();
    }

    public static int size(PersistentMap<TaskGroup, PersistentMap<Rank, Task>> queue) {
        return queue.values().mapToInt(PersistentMap::size).sum();
    }

    /** Zero-based position of a task in its queue; empty if it is in none. */
    public OptionalInt position(Task task, ToDoubleFunction<String> used) {
        if (task.spec().options().lane().isPresent()) {
            return lanes.isQueued(task)
                    ? OptionalInt.of(lanes.queued(QueueId.of(task)).rank(task.id()))
                    : OptionalInt.empty();
        }
        var group = group(task);
        var rank = Rank.byAge(task);
        if (!tasks(group).contains(rank)) {
            return OptionalInt.empty();
        }
        var precedence = order.precedence(group, used);
        int before = 0;
        for (var entry : queue(group.queue())) {
            int compared = order.precedence(entry.getKey(), used).compareTo(precedence);
            before +=
                    compared < 0
                            ? entry.getValue().size()
                            : compared == 0 ? entry.getValue().rank(rank) : 0;
        }
        return OptionalInt.of(before);
    }

    /** The tasks of all queues in scheduling order. */
    public Stream<Task> inOrder(ToDoubleFunction<String> used) {
        var heads = new ArrayList<Head>();
        for (var entry : queues) {
            heads.addAll(heads(entry.getKey(), entry.getValue(), used, _ -> true));
        }
        for (var lane : lanes.queued()) {
            laneHead(lane.getKey(), lane.getValue(), used, Instant.EPOCH).ifPresent(heads::add);
        }
        return merged(heads);
    }

    /** The tasks of one queue in scheduling order. */
    public Stream<Task> inOrder(QueueId queue, ToDoubleFunction<String> used) {
        return queue.kind() == QueueId.Kind.LANE
                ? lanes.queued(queue).values()
                : merged(heads(queue, queue(queue), used, _ -> true));
    }

    private static Stream<Task> merged(List<Head> firsts) {
        var heads = new PriorityQueue<>(Head.ORDER);
        heads.addAll(firsts);
        var merged =
                new Iterator<Task>() {
                    @Override
                    public boolean hasNext() {
                        return !heads.isEmpty();
                    }

                    @Override
                    public Task next() {
                        var head = heads.remove();
                        head.next().ifPresent(heads::add);
                        return head.task();
                    }
                };
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(merged, Spliterator.ORDERED), false);
    }

    /**
     * The tasks that may start: the first of each group, and the first of each lane in which no
     * task runs, unless it is delayed.
     *
     * @param spacing file runs whose tasks must not start now
     * @param isOpen whether tasks of a group may start now; it is not asked about lanes
     */
    public List<Head> heads(
            ToDoubleFunction<String> used,
            Instant now,
            Set<Long> spacing,
            Predicate<TaskGroup> isOpen) {
        var heads = new ArrayList<Head>();
        for (var entry : queues) {
            heads.addAll(heads(entry.getKey(), entry.getValue(), used, isOpen));
        }
        for (var first : lanes.startable().named()) {
            var task = first.getValue();
            if (!isDelayed(task)) {
                var alone = PersistentMap.<TaskId, Task>empty().with(task.id(), task);
                laneHead(first.getKey(), alone, used, now).ifPresent(heads::add);
            }
        }
        for (var run : lanes.startable().ofRuns()) {
            if (!spacing.contains(run.getKey())) {
                run.getValue()
                        .forEach(
                                group ->
                                        laneHead(run.getKey(), group, used, now)
                                                .ifPresent(heads::add));
            }
        }
        return heads;
    }

    /** The first of the lanes of a file run whose first tasks form one group. */
    private Optional<Head> laneHead(
            long run,
            Map.Entry<TaskGroup, PersistentMap<Integer, Task>> lanesOfGroup,
            ToDoubleFunction<String> used,
            Instant now) {
        var turns = new LaneTurns(run, lanesOfGroup.getValue(), now, this::isDelayed);
        if (!turns.hasNext()) {
            return Optional.empty();
        }
        var first = turns.next();
        var task = first.getValue();
        var lane = task.spec().options().lane();
        var precedence = precedence(lanesOfGroup.getKey(), lane, used, now);
        var place = new QueuePlace(QueueId.of(task), lanesOfGroup.getKey(), lane, precedence);
        return Optional.of(new Head(place, first.getKey(), task, turns));
    }

    /** Whether the head of a lane waits for a GPU, not for its lane or the end of a delay. */
    public boolean hasStartableLaneHead() {
        // Not all of them can be delayed if they are more: then no lane is looked at.
        return lanes.startable().groups().size() > delayed.size()
                || lanes.startable().tasks().anyMatch(first -> !isDelayed(first));
    }

    private List<Head> heads(
            QueueId queue,
            PersistentMap<TaskGroup, PersistentMap<Rank, Task>> groups,
            ToDoubleFunction<String> used,
            Predicate<TaskGroup> isOpen) {
        var heads = new ArrayList<Head>();
        for (var entry : groups) {
            var group = entry.getKey();
            if (!isOpen.test(group)) {
                continue;
            }
            var precedence = order.precedence(group, used);
            Head.of(
                            new QueuePlace(queue, group, Optional.empty(), precedence),
                            entry.getValue().iterator())
                    .ifPresent(heads::add);
        }
        return heads;
    }

    private Optional<Head> laneHead(
            QueueId queue,
            PersistentMap<TaskId, Task> tasks,
            ToDoubleFunction<String> used,
            Instant now) {
        return tasks.first()
                .map(Map.Entry::getValue)
                .flatMap(
                        first -> {
                            var group = group(first);
                            var lane = first.spec().options().lane();
                            var precedence = precedence(group, lane, used, now);
                            // In a lane only age counts.
                            return Head.of(
                                    new QueuePlace(queue, group, lane, precedence),
                                    tasks.values()
                                            .map(task -> Map.entry(Rank.byAge(task), task))
                                            .iterator());
                        });
    }

    /** Current precedence; it changes when the owner's usage grows. */
    public Precedence precedence(QueuePlace place, ToDoubleFunction<String> used, Instant now) {
        return precedence(place.group(), place.lane(), used, now);
    }

    private Precedence precedence(
            TaskGroup group, Optional<Lane> lane, ToDoubleFunction<String> used, Instant now) {
        var precedence = order.precedence(group, used);
        return lane.map(inLane -> precedence.inLane(inLane, group.shape().need(), now))
                .orElse(precedence);
    }

    /** Queue and precedence of a group or of the head of a lane. */
    public record QueuePlace(
            QueueId queue, TaskGroup group, Optional<Lane> lane, Precedence precedence) {

        /** The place of another task of the group; that of another lane has its own turn. */
        private QueuePlace of(Task task) {
            return lane.isEmpty()
                    ? this
                    : new QueuePlace(
                            QueueId.of(task), group, task.spec().options().lane(), precedence);
        }
    }

    /** The first task of a group or lane, and those behind it. */
    public record Head(
            QueuePlace place, Rank rank, Task task, Iterator<Map.Entry<Rank, Task>> remaining) {

        /** Total order, because task ids differ. */
        public static final Comparator<Head> ORDER =
                (head, other) -> {
                    int byPlace = head.place.precedence().compareTo(other.place.precedence());
                    return byPlace != 0 ? byPlace : head.rank.compareTo(other.rank);
                };

        static Optional<Head> of(QueuePlace place, Iterator<Map.Entry<Rank, Task>> tasks) {
            if (!tasks.hasNext()) {
                return Optional.empty();
            }
            var first = tasks.next();
            return Optional.of(
                    new Head(place.of(first.getValue()), first.getKey(), first.getValue(), tasks));
        }

        /** The next task of the group, of another lane if it is in a lane. */
        public Optional<Head> next() {
            return of(place, remaining);
        }

        public Head with(Precedence other) {
            var moved = new QueuePlace(place.queue(), place.group(), place.lane(), other);
            return new Head(moved, rank, task, remaining);
        }
    }
}
