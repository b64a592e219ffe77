package dev.berth.core.queue;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/**
 * The first tasks of the lanes of a file run and of one group, in the order of their turns at one
 * moment. Nearly always only the first one is needed, so the others are not sorted before.
 */
final class LaneTurns implements Iterator<Map.Entry<Rank, Task>> {

    private final PersistentMap<Integer, Task> lanes;
    private final Predicate<Task> isDelayed;
    private final long seed;
    private int taken;
    private List<Task> sorted = List.of();
    private Optional<Task> next = Optional.empty();
    private long lowest = Long.MAX_VALUE;

    LaneTurns(
            long run, PersistentMap<Integer, Task> lanes, Instant now, Predicate<Task> isDelayed) {
        this.lanes = lanes;
        this.isDelayed = isDelayed;
        this.seed = Precedence.LaneTurn.seed(run, now);
        // Every lane, in each pass that may start one of them: not by an iterator, which takes
        // twice as long.
        lanes.forEach(this::consider);
    }

    private void consider(Map.Entry<Integer, Task> lane) {
        long turn = turn(lane);
        if ((next.isEmpty() || turn < lowest) && !isDelayed.test(lane.getValue())) {
            next = Optional.of(lane.getValue());
            lowest = turn;
        }
    }

    private long turn(Map.Entry<Integer, Task> lane) {
        return Precedence.LaneTurn.tieBreak(seed, lane.getKey());
    }

    private List<Task> sorted() {
        return StreamSupport.stream(lanes.spliterator(), false)
                .filter(lane -> !isDelayed.test(lane.getValue()))
                .sorted(Comparator.comparingLong(this::turn))
                .map(Map.Entry::getValue)
                .toList();
    }

    @Override
    public boolean hasNext() {
        if (next.isEmpty() && taken > 0) {
            sorted = sorted.isEmpty() ? sorted() : sorted;
            next = taken < sorted.size() ? Optional.of(sorted.get(taken)) : Optional.empty();
        }
        return next.isPresent();
    }

    @Override
    public Map.Entry<Rank, Task> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        var task = next.orElseThrow();
        next = Optional.empty();
        taken++;
        return Map.entry(Rank.byAge(task), task);
    }
}
