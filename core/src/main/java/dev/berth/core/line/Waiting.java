package dev.berth.core.line;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.collect.Tally;
import dev.berth.core.task.Lane;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;

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
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * All waiting tasks, each in the group of its line or in its lane.
 *
 * @param lines the groups of each line, and in each group the tasks by rank
 * @param lanes those in lanes, and who runs there
 * @param resting those that must not start yet, the first to wake first; in no line, but in their
 *     lane
 * @param counts how many each principal has waiting
 */
public record Waiting(
        Order order,
        PersistentMap<LineId, PersistentMap<Group, PersistentMap<Rank, Task>>> lines,
        Lanes lanes,
        PersistentMap<Rest, Task> resting,
        Tally counts) {

    public static Waiting nobody(Order order) {
        return new Waiting(
                order, PersistentMap.empty(), Lanes.NONE, PersistentMap.empty(), Tally.EMPTY);
    }

    /** Until when a task rests. */
    public record Rest(Instant until, TaskId task) implements Comparable<Rest> {

        static Optional<Rest> of(Task task) {
            return task.notBefore().map(until -> new Rest(until, task.id()));
        }

        @Override
        public int compareTo(Rest other) {
            int byTime = until.compareTo(other.until);
            return byTime != 0 ? byTime : task.compareTo(other.task);
        }
    }

    public PersistentMap<Group, PersistentMap<Rank, Task>> line(LineId id) {
        return lines.get(id).orElse(PersistentMap.empty());
    }

    /** One more that waits; one that rests is awake only when its time has come. */
    public Waiting with(Task task) {
        var rests = Rest.of(task).map(rest -> resting.with(rest, task)).orElse(resting);
        if (task.spec().lane().isPresent()) {
            var all = counted(task, lanes.isQueued(task));
            return new Waiting(order, lines, lanes.waiting(task), rests, all);
        }
        if (task.notBefore().isPresent()) {
            return new Waiting(order, lines, lanes, rests, counted(task, isResting(task)));
        }
        var group = Group.of(task);
        var there = tasks(group);
        var rank = order.rank(task);
        return new Waiting(
                order,
                inLine(group, there.with(rank, task)),
                lanes,
                rests,
                counted(task, there.contains(rank)));
    }

    private Tally counted(Task task, boolean isAlready) {
        return isAlready ? counts : counts.plus(task.owner().principal());
    }

    private PersistentMap<LineId, PersistentMap<Group, PersistentMap<Rank, Task>>> inLine(
            Group group, PersistentMap<Rank, Task> tasks) {
        var line = line(group.line());
        var rest = tasks.isEmpty() ? line.without(group) : line.with(group, tasks);
        return rest.isEmpty() ? lines.without(group.line()) : lines.with(group.line(), rest);
    }

    /** One that runs keeps its lane from going on. */
    public Waiting withRunning(Task task) {
        return task.spec().lane().isEmpty()
                ? this
                : new Waiting(order, lines, lanes.running(task), resting, counts);
    }

    /** Those whose rest is over are as any other. */
    public Waiting awake(Instant now) {
        var awake = this;
        for (var first = resting.first();
                first.isPresent() && !first.get().getKey().until().isAfter(now);
                first = awake.resting.first()) {
            awake = awake.awoken(first.get().getKey(), first.get().getValue());
        }
        return awake;
    }

    private Waiting awoken(Rest rest, Task task) {
        var others = resting.without(rest);
        if (task.spec().lane().isPresent()) {
            return new Waiting(order, lines, lanes, others, counts);
        }
        var group = Group.of(task);
        var line = inLine(group, tasks(group).with(order.rank(task), task));
        return new Waiting(order, line, lanes, others, counts);
    }

    public Waiting without(Task task) {
        var rests = Rest.of(task).map(resting::without).orElse(resting);
        if (task.spec().lane().isPresent()) {
            var all = discounted(task, lanes.isQueued(task));
            return new Waiting(order, lines, lanes.without(task), rests, all);
        }
        if (isResting(task)) {
            return new Waiting(order, lines, lanes, rests, discounted(task, true));
        }
        var group = Group.of(task);
        var there = tasks(group);
        var rank = order.rank(task);
        return there.contains(rank)
                ? new Waiting(
                        order,
                        inLine(group, there.without(rank)),
                        lanes,
                        rests,
                        discounted(task, true))
                : this;
    }

    private Tally discounted(Task task, boolean wasThere) {
        return wasThere ? counts.minus(task.owner().principal()) : counts;
    }

    public boolean isResting(Task task) {
        return Rest.of(task).filter(resting::contains).isPresent();
    }

    private PersistentMap<Rank, Task> tasks(Group group) {
        return line(group.line()).get(group).orElse(PersistentMap.empty());
    }

    /** In no order that means anything. */
    public Stream<Task> everybody() {
        return Stream.of(inLines(), lanes.everybody(), restingOfNoLane()).flatMap(one -> one);
    }

    /** Those who wait for a card or their turn, and not for their lane or for time to pass. */
    public Stream<Task> inLines() {
        return lines.values().flatMap(PersistentMap::values).flatMap(PersistentMap::values);
    }

    private Stream<Task> restingOfNoLane() {
        return resting.values().filter(task -> task.spec().lane().isEmpty());
    }

    public int size() {
        return lines.values().mapToInt(Waiting::size).sum()
                + lanes.queued().values().mapToInt(PersistentMap::size).sum()
                + (int) restingOfNoLane().count();
    }

    public static int size(PersistentMap<Group, PersistentMap<Rank, Task>> line) {
        return line.values().mapToInt(PersistentMap::size).sum();
    }

    /** Zero-based place of a task in its line; nothing when it is in none. */
    public OptionalInt position(Task task, ToDoubleFunction<String> used) {
        if (task.spec().lane().isPresent()) {
            return lanes.isQueued(task)
                    ? OptionalInt.of(lanes.queued(LineId.of(task)).rank(task.id()))
                    : OptionalInt.empty();
        }
        var mine = Group.of(task);
        var rank = order.rank(task);
        if (!tasks(mine).contains(rank)) {
            return OptionalInt.empty();
        }
        var precedence = order.precedence(mine, used);
        int before = 0;
        for (var entry : line(mine.line())) {
            int compared = order.precedence(entry.getKey(), used).compareTo(precedence);
            before +=
                    compared < 0
                            ? entry.getValue().size()
                            : compared == 0 ? entry.getValue().rank(rank) : 0;
        }
        return OptionalInt.of(before);
    }

    /** The tasks of all lines in the order in which they are looked at. */
    public Stream<Task> inOrder(ToDoubleFunction<String> used) {
        var heads = new ArrayList<Head>();
        for (var line : lines) {
            heads.addAll(heads(line.getKey(), line.getValue(), used));
        }
        for (var lane : lanes.queued()) {
            laneHead(lane.getKey(), lane.getValue(), used, Instant.EPOCH).ifPresent(heads::add);
        }
        return merged(heads);
    }

    /** The tasks of one line, first the one that is looked at first. */
    public Stream<Task> inOrder(LineId line, ToDoubleFunction<String> used) {
        return line.kind() == LineId.Kind.LANE
                ? lanes.queued(line).values()
                : merged(heads(line, line(line), used));
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
     * Who may start: the first of each group that waits anywhere, and of each lane that neither
     * runs nor rests.
     *
     * @param spacing runs of which nobody may start now
     */
    public List<Head> heads(ToDoubleFunction<String> used, Instant now, Set<Long> spacing) {
        var heads = new ArrayList<Head>();
        for (var line : lines) {
            heads.addAll(heads(line.getKey(), line.getValue(), used));
        }
        for (var lane : lanes.queued()) {
            if (lanes.running(lane.getKey()).isEmpty() && !isSpaced(lane.getValue(), spacing)) {
                laneHead(lane.getKey(), lane.getValue(), used, now)
                        .filter(head -> !isResting(head.task()))
                        .ifPresent(heads::add);
            }
        }
        return heads;
    }

    /** Asked first, because a file may have very many lanes. */
    private static boolean isSpaced(PersistentMap<TaskId, Task> lane, Set<Long> spacing) {
        return !spacing.isEmpty()
                && lane.first()
                        .flatMap(first -> first.getValue().spec().ofRun())
                        .filter(place -> spacing.contains(place.run()))
                        .isPresent();
    }

    /** Whether somebody in a lane waits for a card, and not for their lane or for time to pass. */
    public boolean hasLaneHeads() {
        for (var lane : lanes.queued()) {
            if (lanes.running(lane.getKey()).isEmpty()
                    && lane.getValue().first().stream()
                            .anyMatch(first -> !isResting(first.getValue()))) {
                return true;
            }
        }
        return false;
    }

    private List<Head> heads(
            LineId line,
            PersistentMap<Group, PersistentMap<Rank, Task>> groups,
            ToDoubleFunction<String> used) {
        var heads = new ArrayList<Head>();
        for (var entry : groups) {
            var group = entry.getKey();
            var precedence = order.precedence(group, used);
            Head.of(
                            new Place(line, group, Optional.empty(), precedence),
                            entry.getValue().iterator())
                    .ifPresent(heads::add);
        }
        return heads;
    }

    private Optional<Head> laneHead(
            LineId line,
            PersistentMap<TaskId, Task> tasks,
            ToDoubleFunction<String> used,
            Instant now) {
        return tasks.first()
                .map(Map.Entry::getValue)
                .flatMap(
                        first -> {
                            var group = Group.of(first);
                            var lane = first.spec().lane();
                            var precedence = precedence(group, lane, used, now);
                            // In a lane nobody goes before those who came earlier.
                            return Head.of(
                                    new Place(line, group, lane, precedence),
                                    tasks.values()
                                            .map(task -> Map.entry(Rank.byAge(task), task))
                                            .iterator());
                        });
    }

    /** What a place is worth when its owner has been given more. */
    public Precedence precedence(Place place, ToDoubleFunction<String> used, Instant now) {
        return precedence(place.group(), place.lane(), used, now);
    }

    private Precedence precedence(
            Group group, Optional<Lane> lane, ToDoubleFunction<String> used, Instant now) {
        var precedence = order.precedence(group, used);
        return lane.map(one -> precedence.in(one, group.shape().need(), now)).orElse(precedence);
    }

    /** Where a group, or the head of a lane, stands now. */
    public record Place(LineId line, Group group, Optional<Lane> lane, Precedence precedence) {}

    /** The first of a group, and those behind it. */
    public record Head(Place place, Rank rank, Task task, Iterator<Map.Entry<Rank, Task>> behind) {

        /** Ids differ, so no two heads are equal. */
        public static final Comparator<Head> ORDER =
                (one, other) -> {
                    int byPlace = one.place.precedence().compareTo(other.place.precedence());
                    return byPlace != 0 ? byPlace : one.rank.compareTo(other.rank);
                };

        static Optional<Head> of(Place place, Iterator<Map.Entry<Rank, Task>> tasks) {
            if (!tasks.hasNext()) {
                return Optional.empty();
            }
            var first = tasks.next();
            return Optional.of(new Head(place, first.getKey(), first.getValue(), tasks));
        }

        /** Who may start when this one has; in a lane nobody, before it has ended. */
        public Optional<Head> follower() {
            return place.lane().isPresent() ? Optional.empty() : next();
        }

        Optional<Head> next() {
            return of(place, behind);
        }

        public Head with(Precedence other) {
            var elsewhere = new Place(place.line(), place.group(), place.lane(), other);
            return new Head(elsewhere, rank, task, behind);
        }
    }
}
