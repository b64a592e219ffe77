package dev.berth.testkit;

import dev.berth.engine.port.History;
import dev.berth.engine.port.Minute;
import dev.berth.engine.port.StoreFailure;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A history without a disk, which forgets nothing. */
public final class MemoryHistory implements History {

    private final Map<Subject, SortedMap<Long, Minute>> kept = new HashMap<>();
    private boolean isFailing;

    /** From now on nothing is kept; or all is well again. */
    public synchronized void fail(boolean fails) {
        isFailing = fails;
    }

    @Override
    public synchronized void keep(List<Minute> minutes) throws StoreFailure {
        if (isFailing) {
            throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "told to fail");
        }
        for (var minute : minutes) {
            add(kept.computeIfAbsent(minute.subject(), _ -> new TreeMap<>()), minute);
        }
    }

    private static void add(SortedMap<Long, Minute> minutes, Minute minute) {
        minutes.merge(minute.number(), minute.copy(), (one, later) -> one.copy().with(later));
    }

    @Override
    public synchronized List<Point> read(Span span, List<Minute> fresh) {
        var minutes = new TreeMap<>(kept.getOrDefault(span.subject(), new TreeMap<>()));
        fresh.forEach(minute -> add(minutes, minute));
        long step = span.grain().seconds();
        var points = new TreeMap<Long, Point>();
        for (var minute : minutes.values()) {
            for (int second = 0; second < Minute.SECONDS; second++) {
                minute.second(second)
                        .map(point -> point.at(Math.floorDiv(point.at(), step) * step))
                        .ifPresent(point -> points.merge(point.at(), point, Point::plus));
            }
        }
        long from = Math.floorDiv(span.from().getEpochSecond(), step) * step;
        long to = Math.max(from, Math.ceilDiv(span.to().getEpochSecond(), step) * step);
        return List.copyOf(points.subMap(from, to).values());
    }
}
