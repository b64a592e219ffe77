package dev.berth.testkit;

import dev.berth.port.StoreFailure;
import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A history in memory that never deletes anything. */
public final class MemoryHistory implements SampleHistory {

    private final Map<Subject, SortedMap<Long, MinuteSamples>> stored = new HashMap<>();
    private boolean isFailing;

    /** Makes all further writes fail, or succeed again. */
    public synchronized void setFailing(boolean fails) {
        isFailing = fails;
    }

    @Override
    public synchronized void save(List<MinuteSamples> minutes) throws StoreFailure {
        if (isFailing) {
            throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "told to fail");
        }
        for (var minute : minutes) {
            add(stored.computeIfAbsent(minute.subject(), _ -> new TreeMap<>()), minute);
        }
    }

    private static void add(SortedMap<Long, MinuteSamples> minutes, MinuteSamples minute) {
        minutes.merge(minute.number(), minute.copy(), (one, later) -> one.copy().with(later));
    }

    @Override
    public synchronized List<Point> read(Span span, List<MinuteSamples> fresh) {
        var minutes = new TreeMap<>(stored.getOrDefault(span.subject(), new TreeMap<>()));
        fresh.forEach(minute -> add(minutes, minute));
        long step = span.grain().seconds();
        var points = new TreeMap<Long, Point>();
        for (var minute : minutes.values()) {
            for (int second = 0; second < MinuteSamples.SECONDS; second++) {
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
