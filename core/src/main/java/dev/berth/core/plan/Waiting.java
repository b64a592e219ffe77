package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.Task;

import java.util.OptionalInt;

/**
 * All waiting tasks, each in its line, each line in dispatch order.
 *
 * @param counts how many each principal has waiting
 */
public record Waiting(
        PersistentMap<LineId, PersistentMap<Rank, Task>> lines,
        PersistentMap<String, Integer> counts) {

    public static final Waiting NOBODY = new Waiting(PersistentMap.empty(), PersistentMap.empty());

    public PersistentMap<Rank, Task> line(LineId id) {
        return lines.get(id).orElse(PersistentMap.empty());
    }

    public Waiting with(Task task) {
        var id = LineId.of(task.spec().need());
        return new Waiting(
                lines.with(id, line(id).with(Rank.of(task), task)),
                line(id).contains(Rank.of(task)) ? counts : counted(task, 1));
    }

    public Waiting without(Task task) {
        var id = LineId.of(task.spec().need());
        var rest = line(id).without(Rank.of(task));
        return new Waiting(
                rest.isEmpty() ? lines.without(id) : lines.with(id, rest),
                line(id).contains(Rank.of(task)) ? counted(task, -1) : counts);
    }

    private PersistentMap<String, Integer> counted(Task task, int change) {
        var principal = task.owner().principal();
        int now = count(principal) + change;
        return now == 0 ? counts.without(principal) : counts.with(principal, now);
    }

    /** How many tasks of one principal wait. */
    public int count(String principal) {
        return counts.get(principal).orElse(0);
    }

    public int size() {
        return lines.values().mapToInt(PersistentMap::size).sum();
    }

    /** Zero-based place of a task in its line; nothing when it does not wait. */
    public OptionalInt position(Task task) {
        var line = line(LineId.of(task.spec().need()));
        var rank = Rank.of(task);
        return line.contains(rank) ? OptionalInt.of(line.rank(rank)) : OptionalInt.empty();
    }
}
