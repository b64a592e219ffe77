package dev.berth.core.line;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.collect.Tally;
import dev.berth.core.task.Task;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * All waiting tasks, each in the group of its line.
 *
 * @param lines the groups of each line, and in each group the tasks by rank
 * @param counts how many each principal has waiting
 */
public record Waiting(
        Order order,
        PersistentMap<LineId, PersistentMap<Group, PersistentMap<Rank, Task>>> lines,
        Tally counts) {

    public static Waiting nobody(Order order) {
        return new Waiting(order, PersistentMap.empty(), Tally.EMPTY);
    }

    public PersistentMap<Group, PersistentMap<Rank, Task>> line(LineId id) {
        return lines.get(id).orElse(PersistentMap.empty());
    }

    public Waiting with(Task task) {
        var group = Group.of(task);
        var there = tasks(group);
        var rank = order.rank(task);
        return new Waiting(
                order,
                lines.with(group.line(), line(group.line()).with(group, there.with(rank, task))),
                there.contains(rank) ? counts : counts.plus(task.owner().principal()));
    }

    public Waiting without(Task task) {
        var group = Group.of(task);
        var there = tasks(group);
        var rank = order.rank(task);
        if (!there.contains(rank)) {
            return this;
        }
        var left = there.without(rank);
        var line = line(group.line());
        var rest = left.isEmpty() ? line.without(group) : line.with(group, left);
        return new Waiting(
                order,
                rest.isEmpty() ? lines.without(group.line()) : lines.with(group.line(), rest),
                counts.minus(task.owner().principal()));
    }

    private PersistentMap<Rank, Task> tasks(Group group) {
        return line(group.line()).get(group).orElse(PersistentMap.empty());
    }

    /** In no order that means anything. */
    public Stream<Task> everybody() {
        return lines.values().flatMap(PersistentMap::values).flatMap(PersistentMap::values);
    }

    public int size() {
        return lines.values().mapToInt(Waiting::size).sum();
    }

    public static int size(PersistentMap<Group, PersistentMap<Rank, Task>> line) {
        return line.values().mapToInt(PersistentMap::size).sum();
    }

    /** Zero-based place of a task in its line; nothing when it does not wait. */
    public OptionalInt position(Task task, ToDoubleFunction<String> used) {
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
        return merged(heads(used));
    }

    /** The tasks of one line, first the one that is looked at first. */
    public Stream<Task> inOrder(LineId line, ToDoubleFunction<String> used) {
        return merged(heads(line, line(line), used));
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

    /** The first of each group that waits anywhere. */
    public List<Head> heads(ToDoubleFunction<String> used) {
        var heads = new ArrayList<Head>();
        for (var line : lines) {
            heads.addAll(heads(line.getKey(), line.getValue(), used));
        }
        return heads;
    }

    private List<Head> heads(
            LineId line,
            PersistentMap<Group, PersistentMap<Rank, Task>> groups,
            ToDoubleFunction<String> used) {
        var heads = new ArrayList<Head>();
        for (var entry : groups) {
            var group = entry.getKey();
            var precedence = order.precedence(group, used);
            Head.of(new Place(line, group, precedence), entry.getValue().iterator())
                    .ifPresent(heads::add);
        }
        return heads;
    }

    /** Where a group stands now. */
    public record Place(LineId line, Group group, Precedence precedence) {}

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

        public Optional<Head> next() {
            return of(place, behind);
        }

        public Head with(Precedence other) {
            return new Head(new Place(place.line(), place.group(), other), rank, task, behind);
        }
    }
}
